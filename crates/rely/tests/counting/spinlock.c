// expect: safe
// A spin lock made of compare-and-swap.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int inside;

static void *worker(void *unused) {
    int free = 0;
    while (!atomic_compare_exchange_weak(&lock, &free, 1))
        free = 0;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&lock, 0);
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
}
