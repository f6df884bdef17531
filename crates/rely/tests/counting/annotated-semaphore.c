// expect: safe
// A semaphore lets three of any number of workers in.
#include <pthread.h>
#include <semaphore.h>

sem_t seats;

//@rely never #(worker at inside) > 3;

static void *worker(void *unused) {
    sem_wait(&seats);
inside:
    sem_post(&seats);
    return 0;
}

int main(void) {
    sem_init(&seats, 0, 3);
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
}
