// expect(race): safe
// Any number of threads with atomic operations.
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int __VERIFIER_nondet_int(void);

static void *worker(void *unused) {
    __sync_fetch_and_add(&x, 1);
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t a;
        pthread_create(&a, 0, worker, 0);
    }
    return 0;
}
