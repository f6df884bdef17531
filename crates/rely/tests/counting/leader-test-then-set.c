// expect: unsafe line 14
// Testing and setting are two steps: two threads can win.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int taken, leaders;

static void *candidate(void *unused) {
    if (atomic_load(&taken) == 0) {
        atomic_store(&taken, 1);
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
