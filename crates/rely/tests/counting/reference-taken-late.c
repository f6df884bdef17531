// expect: unsafe line 18
// The thread counts itself, but main may have given up its reference before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int references = 1;
atomic_int freed;

static void release(void) {
    if (atomic_fetch_sub(&references, 1) == 1)
        atomic_store(&freed, 1);
}

static void *user(void *unused) {
    atomic_fetch_add(&references, 1);
    assert(!atomic_load(&freed));
    release();
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t t;
        pthread_create(&t, 0, user, 0);
    }
    release();
    return 0;
}
