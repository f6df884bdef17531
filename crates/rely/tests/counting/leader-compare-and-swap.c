// expect: safe
// Leader election by compare-and-swap: at most one of any number of threads wins.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int taken, leaders;

static void *candidate(void *unused) {
    int free = 0;
    if (atomic_compare_exchange_strong(&taken, &free, 1)) {
        int others = atomic_fetch_add(&leaders, 1);
        assert(others == 0);
    }
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t t;
        pthread_create(&t, 0, candidate, 0);
    }
    return 0;
}
