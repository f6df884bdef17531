// A writer may be overtaken by readers, but not for ever.
//
// expect(deadlock): safe
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *read(void *argument) {
    while (1) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, read, 0);
    pthread_create(&u, 0, read, 0);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
