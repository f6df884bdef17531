// expect(race): unsafe
// A semaphore with two permits.
#include <pthread.h>
#include <semaphore.h>

int x;
sem_t s;

static void *first(void *unused) {
    sem_wait(&s);
    x = 1;
    sem_post(&s);

    return 0;
}

static void *second(void *unused) {
    sem_wait(&s);
    x = 2;
    sem_post(&s);

    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 2);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
