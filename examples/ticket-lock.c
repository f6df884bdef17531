// A ticket lock with C11 atomics: draw a number, wait until it is called. Unlike a spinlock it
// serves threads in the order in which they came.
//
// expect: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next_ticket;
atomic_uint now_serving;
int inside;

void *customer(void *unused) {
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_serving) != mine)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&now_serving, mine + 1);
    return 0;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, customer, 0);
    pthread_create(&two, 0, customer, 0);
    pthread_create(&three, 0, customer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    assert(now_serving == 3);
    return 0;
}
