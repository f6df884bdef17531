// One thread fills as often as somebody wants, the other one drains.
// expect(termination): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int n, tank;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *fill(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&m);
        tank++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *drain(void *unused) {
    int go = 1;
    while (go) {
        pthread_mutex_lock(&m);
        if (tank > 0)
            tank--;
        else
            go = 0;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    n = __VERIFIER_nondet_int();
    pthread_create(&t0, 0, fill, 0);
    pthread_create(&t1, 0, drain, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
