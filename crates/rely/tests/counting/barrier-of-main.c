// expect: safe
// Main waits until all threads that it has started have arrived.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int arrived, left;

static void *worker(void *unused) {
    atomic_fetch_add(&arrived, 1);
    return 0;
}

int main(void) {
    int started = 0;
    while (__VERIFIER_nondet_int()) {
        pthread_t t;
        started++;
        pthread_create(&t, 0, worker, 0);
    }
    while (atomic_load(&arrived) != started)
        ;
    assert(arrived <= started);
    return 0;
}
