// expect: safe
// Reference counting: each thread owns a reference; the last one to leave frees the object.
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
    assert(!atomic_load(&freed));
    release();
    return 0;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < 1000000; i++) {
        pthread_t t;
        atomic_fetch_add(&references, 1);
        pthread_create(&t, 0, user, 0);
    }
    release();
    return 0;
}
