// Two locks in one order, as often as somebody wants.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
int n;

void *f(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return 0;
}

void *g(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
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
