// Each thread waits for the one before.
// expect(termination): unsafe
// expect(fair-termination): safe
// expect(deadlock): safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int first, second;

void *f(void *unused) {
    first = 1;
    return 0;
}

void *g(void *unused) {
    while (!first) {
    }
    second = 1;
    return 0;
}

void *h(void *unused) {
    while (!second) {
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_create(&t2, 0, h, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
