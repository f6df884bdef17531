// The producer and the consumer of `sync01-safe`, repaired: both work twice and test in a loop, and each
// signals whom it may have kept waiting.
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

void *produce(void *unused) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&lock);
        while (items > 0)
            pthread_cond_wait(&emptied, &lock);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

void *consume(void *unused) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&lock);
        while (items == 0)
            pthread_cond_wait(&filled, &lock);
        items--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    return 0;
}
