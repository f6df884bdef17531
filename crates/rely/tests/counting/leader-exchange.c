// expect: safe
// Leader election by an exchange: who finds 0 is the leader.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int taken, leaders;

static void *candidate(void *unused) {
    if (atomic_exchange(&taken, 1) == 0) {
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
