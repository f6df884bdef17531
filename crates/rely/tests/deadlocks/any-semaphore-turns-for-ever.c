// Two threads take turns with semaphores, for ever.
// expect(deadlock): safe
#include <pthread.h>
#include <semaphore.h>

sem_t ping, pong;

void *f(void *unused) {
    while (1) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    return 0;
}

void *g(void *unused) {
    while (1) {
        sem_wait(&pong);
        sem_post(&ping);
    }
    return 0;
}

int main(void) {
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_exit(0);
    return 0;
}
