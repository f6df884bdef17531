// Main joins threads with loops of any length.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int n;

void *f(void *unused) {
    for (int i = 0; i < n; i++) {
        ;
    }
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_create(&t2, 0, f, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
