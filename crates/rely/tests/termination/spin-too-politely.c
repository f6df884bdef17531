// Two threads wait for each other in loops before they say that they are there.
// expect(termination): unsafe
// expect(fair-termination): unsafe
#include <pthread.h>
#include <stdatomic.h>

atomic_int here, there;

void *f(void *unused) {
    while (!there) {
    }
    here = 1;
    return 0;
}

void *g(void *unused) {
    while (!here) {
    }
    there = 1;
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
