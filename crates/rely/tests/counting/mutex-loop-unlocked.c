// expect: unsafe line 13
// The same without the lock.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

static void *worker(void *unused) {
    inside++;
    if (inside > 0)
        assert(inside <= 2);
    inside--;
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
    return 0;
}
