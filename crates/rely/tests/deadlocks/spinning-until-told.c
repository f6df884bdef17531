// A thread spins until another one sets a flag: it never waits, and the join can end.
//
// expect(deadlock): safe
#include <pthread.h>
#include <stdatomic.h>
atomic_int go;

void *spin(void *argument) {
    while (!go)
        ;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, spin, 0);
    go = 1;
    pthread_join(t, 0);
    return 0;
}
