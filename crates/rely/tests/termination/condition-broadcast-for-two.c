// A broadcast for two who wait.
// expect(termination): safe
// expect(fair-termination): safe
// expect(deadlock): safe
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void *waiter(void *unused) {
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

void *setter(void *unused) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, waiter, 0);
    pthread_create(&t1, 0, waiter, 0);
    pthread_create(&t2, 0, setter, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
