// The flag is set after any amount of work, without the lock, so the signal may be lost.
// expect(deadlock): unsafe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, n;

void *worker(void *unused) {
    for (int i = 0; i < n; i++) {
        ready = 0;
    }
    ready = 1;
    pthread_cond_signal(&c);
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0;
    pthread_create(&t0, 0, worker, 0);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t0, 0);
    return 0;
}
