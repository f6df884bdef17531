// A semaphore is posted after any amount of work.
// expect(deadlock): safe
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);

sem_t s;
int n, done;

void *worker(void *unused) {
    for (int i = 0; i < n; i++) {
        done = done ^ 1;
    }
    sem_post(&s);
    return 0;
}

int main(void) {
    sem_init(&s, 0, 0);
    n = __VERIFIER_nondet_int();
    pthread_t t0;
    pthread_create(&t0, 0, worker, 0);
    sem_wait(&s);
    pthread_join(t0, 0);
    return 0;
}
