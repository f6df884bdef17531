// expect: unknown
// The Bluetooth driver with any number of workers.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int pending = 1, stopping, event, stopped;

static void leave(void) {
    if (atomic_fetch_sub(&pending, 1) == 1)
        atomic_store(&event, 1);
}

static void *worker(void *unused) {
    atomic_fetch_add(&pending, 1);
    if (!atomic_load(&stopping))
        assert(!atomic_load(&stopped));
    leave();
    return 0;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < 1000000; i++) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
    atomic_store(&stopping, 1);
    leave();
    while (!atomic_load(&event))
        ;
    atomic_store(&stopped, 1);
    return 0;
}
