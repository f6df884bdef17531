// Two threads wait for the end of each other.
//
// expect(deadlock): unsafe
#include <pthread.h>
#include <stdatomic.h>
pthread_t t, u;
atomic_int ready;

void *first(void *argument) {
    while (!ready)
        ;
    pthread_join(u, 0);
    return 0;
}

void *second(void *argument) {
    while (!ready)
        ;
    pthread_join(t, 0);
    return 0;
}

int main(void) {
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    ready = 1;
    pthread_exit(0);
}
