// Three threads take two of three locks each, in one order.
// expect(termination): safe
// expect(fair-termination): safe
// expect(deadlock): safe
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

void *f(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *g(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&c);
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    return 0;
}

void *h(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&c);
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_create(&t2, 0, h, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
