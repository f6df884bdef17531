// expect: safe
// Any number of workers meet: nobody is behind the barrier while somebody has not arrived.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

int __VERIFIER_nondet_int(void);
atomic_uint started, arrived;
atomic_bool closed;

/*@rely never worker at behind && worker at {entry, before};
        invariant arrived <= started && started <= 1000;
        invariant #(worker at {waiting, behind, exit}) <= arrived */

static void *worker(void *unused) {
before:
    atomic_fetch_add(&arrived, 1);
waiting:
    while (!atomic_load(&closed) || atomic_load(&arrived) != atomic_load(&started))
        ;
behind:
    return 0;
}

int main(void) {
    while (started < 1000 && __VERIFIER_nondet_int()) {
        pthread_t t;
        atomic_fetch_add(&started, 1);
        pthread_create(&t, 0, worker, 0);
    }
    atomic_store(&closed, true);
    pthread_exit(0);
}
