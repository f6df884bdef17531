// Two readers want to become writers without giving back what they have.
// expect(deadlock): unsafe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t k = PTHREAD_RWLOCK_INITIALIZER;
int n;

void *f(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_rwlock_rdlock(&l);
        pthread_rwlock_wrlock(&k);
        pthread_rwlock_unlock(&k);
        pthread_rwlock_unlock(&l);
    }
    return 0;
}

void *g(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_rwlock_rdlock(&k);
        pthread_rwlock_wrlock(&l);
        pthread_rwlock_unlock(&l);
        pthread_rwlock_unlock(&k);
    }
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
