// Two locks in one order in loops of any length: every run ends.
// expect(termination): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int n;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

void *f(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    n = __VERIFIER_nondet_int();
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
