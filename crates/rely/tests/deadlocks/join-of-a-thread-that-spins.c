// To spin is not to wait, but whoever joins the one that spins waits for ever.
//
// expect(deadlock): unsafe
#include <pthread.h>
#include <stdatomic.h>
atomic_int beat;

void *tick(void *argument) {
    while (1)
        beat = 1 - beat;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, tick, 0);
    pthread_join(t, 0);
    return 0;
}
