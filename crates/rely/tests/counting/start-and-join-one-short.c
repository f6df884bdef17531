// expect: unsafe line 24
// The first thread is not joined.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
atomic_int finished;

static void *worker(void *unused) {
    atomic_fetch_add(&finished, 1);
    return 0;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    pthread_t t[1000];
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 1; i < n; i++)
        pthread_join(t[i], 0);
    assert(finished == n);
    return 0;
}
