// Who waits for a lock no longer than some time does not wait for ever.
//
// expect(deadlock): safe
// expect(termination): safe
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
sem_t s;

void *hasty(void *argument) {
    struct timespec until = {0, 0};
    if (pthread_mutex_timedlock(&m, &until) == 0)
        pthread_mutex_unlock(&m);
    if (pthread_rwlock_timedrdlock(&l, &until) == 0)
        pthread_rwlock_unlock(&l);
    if (pthread_rwlock_timedwrlock(&l, &until) == 0)
        pthread_rwlock_unlock(&l);
    sem_timedwait(&s, &until);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&l);
    pthread_create(&t, 0, hasty, 0);
    pthread_join(t, 0);
    pthread_rwlock_unlock(&l);
    pthread_mutex_unlock(&m);
    return 0;
}
