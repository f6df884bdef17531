// The lock is given back on every way through the function.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

void *f(void *unused) {
    pthread_mutex_lock(&a);
    if (__VERIFIER_nondet_int() > 1000) {
        pthread_mutex_unlock(&a);
        return 0;
    }
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
