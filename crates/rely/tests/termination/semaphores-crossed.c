// Each waits for what the other one posts afterwards.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): unsafe
#include <pthread.h>
#include <semaphore.h>

sem_t s, t;

void *f(void *unused) {
    sem_wait(&s);
    sem_post(&t);
    return 0;
}

void *g(void *unused) {
    sem_wait(&t);
    sem_post(&s);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    sem_init(&s, 0, 0);
    sem_init(&t, 0, 0);
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
