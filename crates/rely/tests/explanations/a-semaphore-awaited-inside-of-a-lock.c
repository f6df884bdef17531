#include <pthread.h>
#include <semaphore.h>
#define SIZE 2
int buf[SIZE], in, out;
sem_t empty, full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *producer(void *a) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);       /* wrong order: the mutex first */
        sem_wait(&empty);
        buf[in] = i; in = (in + 1) % SIZE;
        sem_post(&full);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
void *consumer(void *a) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        sem_wait(&full);
        int x = buf[out]; out = (out + 1) % SIZE;
        sem_post(&empty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    sem_init(&empty, 0, SIZE); sem_init(&full, 0, 0);
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0); pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0); pthread_join(c, 0);
}
