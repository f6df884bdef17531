// One post less than waits.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): unsafe
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void *f(void *unused) {
    sem_wait(&s);
    return 0;
}

void *g(void *unused) {
    sem_post(&s);
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    sem_init(&s, 0, 0);
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_create(&t2, 0, g, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
