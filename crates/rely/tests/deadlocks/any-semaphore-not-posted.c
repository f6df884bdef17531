// A semaphore is posted only if the input is large.
// expect(deadlock): unsafe
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);

sem_t s;
int n;

void *worker(void *unused) {
    if (n > 1000000)
        sem_post(&s);
    return 0;
}

int main(void) {
    sem_init(&s, 0, 0);
    n = __VERIFIER_nondet_int();
    pthread_t t0;
    pthread_create(&t0, 0, worker, 0);
    sem_wait(&s);
    return 0;
}
