// One of two threads comes to the barrier once more.
// expect(deadlock): unsafe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_barrier_t b;
int n;

void *f(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_barrier_wait(&b);
    }
    return 0;
}

void *g(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_barrier_wait(&b);
    }
    pthread_barrier_wait(&b);
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        n = 0;
    pthread_barrier_init(&b, 0, 2);
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
