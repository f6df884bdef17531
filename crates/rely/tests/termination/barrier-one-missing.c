// Two threads at a barrier for three.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): unsafe
#include <pthread.h>

pthread_barrier_t b;

void *f(void *unused) {
    pthread_barrier_wait(&b);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_barrier_init(&b, 0, 3);
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
