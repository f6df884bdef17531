// A producer of any number of items closes the buffer at the end; the consumer takes items until then.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int full, closed, n;

void *producer(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&m);
        while (full)
            pthread_cond_wait(&emptied, &m);
        full = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    return 0;
}

void *consumer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m);
        while (!full && !closed)
            pthread_cond_wait(&filled, &m);
        int ended = !full;
        full = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&m);
        if (ended)
            break;
    }
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1;
    pthread_create(&t0, 0, producer, 0);
    pthread_create(&t1, 0, consumer, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
