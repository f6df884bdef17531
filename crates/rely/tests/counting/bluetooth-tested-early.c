// expect: unsafe line 18
// The driver before its repair: the flag is read before the worker counts itself in.
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
    if (!atomic_load(&stopping)) {
        atomic_fetch_add(&pending, 1);
        assert(!atomic_load(&stopped));
        leave();
    }
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
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
