// expect: unsafe line 8
// Who comes out of the semaphore lets two others in.
#include <pthread.h>
#include <semaphore.h>

sem_t seats;

//@rely never #(worker at inside) > 2;

static void *worker(void *unused) {
    sem_wait(&seats);
inside:
    sem_post(&seats);
    sem_post(&seats);
    return 0;
}

int main(void) {
    sem_init(&seats, 0, 2);
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
}
