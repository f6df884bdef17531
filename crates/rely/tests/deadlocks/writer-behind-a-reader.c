// A reader that wants to write waits for itself.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    return 0;
}
