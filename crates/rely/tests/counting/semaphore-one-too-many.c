// expect: unsafe line 14
// The semaphore has a permit too many.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

sem_t permits;
atomic_int inside;

static void *user(void *unused) {
    sem_wait(&permits);
    int others = atomic_fetch_add(&inside, 1);
    assert(others < 3);
    atomic_fetch_sub(&inside, 1);
    sem_post(&permits);
    return 0;
}

int main(void) {
    sem_init(&permits, 0, 4);
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, user, 0);
    }
}
