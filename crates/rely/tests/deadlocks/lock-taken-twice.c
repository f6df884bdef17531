// A thread waits for a lock that it holds itself.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
