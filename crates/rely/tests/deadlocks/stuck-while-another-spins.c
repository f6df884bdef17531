// One thread waits for ever, and another one goes round: not everything stands still.
//
// expect(deadlock): unsafe
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int beat;

void *keep(void *argument) {
    pthread_mutex_lock(&m);
    return 0;
}

void *tick(void *argument) {
    while (1)
        beat = 1 - beat;
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&u, 0, tick, 0);
    pthread_create(&t, 0, keep, 0);
    pthread_join(t, 0);
    pthread_mutex_lock(&m);
    return 0;
}
