// A producer and a consumer with a buffer of one cell, for ever.
// expect(deadlock): safe
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int full;

void *producer(void *unused) {
    while (1) {
        pthread_mutex_lock(&m);
        while (full)
            pthread_cond_wait(&emptied, &m);
        full = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *consumer(void *unused) {
    while (1) {
        pthread_mutex_lock(&m);
        while (!full)
            pthread_cond_wait(&filled, &m);
        full = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, producer, 0);
    pthread_create(&t1, 0, consumer, 0);
    pthread_exit(0);
    return 0;
}
