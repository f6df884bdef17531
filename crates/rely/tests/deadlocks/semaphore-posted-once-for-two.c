// Two threads wait for one post.
//
// expect(deadlock): unsafe
#include <pthread.h>
#include <semaphore.h>
sem_t items;

void *take(void *argument) {
    sem_wait(&items);
    return 0;
}

int main(void) {
    pthread_t t, u;
    sem_init(&items, 0, 1);
    pthread_create(&t, 0, take, 0);
    pthread_create(&u, 0, take, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
