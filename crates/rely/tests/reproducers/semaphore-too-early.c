// A semaphore tells of data that are changed once more.
// expect: unsafe line 20
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
sem_t ready;
int data;

void *producer(void *unused) {
    data = 1;
    sem_post(&ready);
    data = 2;
    return 0;
}
int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, producer, 0);
    sem_wait(&ready);
    assert(data == 1);
    return 0;
}
