// A semaphore as a lock around any amount of work.
// expect(deadlock): safe
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);

sem_t s;
int n;

void *f(void *unused) {
    for (int i = 0; i < n; i++) {
        sem_wait(&s);
        sem_post(&s);
    }
    return 0;
}

int main(void) {
    sem_init(&s, 0, 1);
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, f, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
