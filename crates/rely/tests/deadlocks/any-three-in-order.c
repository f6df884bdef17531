// Three philosophers with an order on the forks, any number of meals.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
int n;

void *p(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return 0;
}

void *q(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&c);
        pthread_mutex_unlock(&c);
        pthread_mutex_unlock(&b);
    }
    return 0;
}

void *r(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&c);
        pthread_mutex_unlock(&c);
        pthread_mutex_unlock(&a);
    }
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, p, 0);
    pthread_create(&t1, 0, q, 0);
    pthread_create(&t2, 0, r, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
