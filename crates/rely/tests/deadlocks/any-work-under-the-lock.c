// A loop of any length runs while the lock is held.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
int n, done;

void *f(void *unused) {
    pthread_mutex_lock(&a);
    for (int i = 0; i < n; i++) {
        done = done ^ 1;
    }
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
