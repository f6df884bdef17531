// expect: unknown
// A ticket lock with any number of threads. Tickets are 32 bits wide and wrap round.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, serving;
int inside;

static void *customer(void *unused) {
    unsigned ticket = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != ticket)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_fetch_add(&serving, 1);
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, customer, 0);
    }
}
