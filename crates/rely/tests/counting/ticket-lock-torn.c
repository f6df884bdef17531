// expect: unsafe line 15
// A ticket is read and the counter written in two steps: two threads have the same ticket.
#include <assert.h>
#include <pthread.h>

volatile unsigned next, serving;
volatile int inside;

static void *customer(void *unused) {
    unsigned ticket = next;
    next = ticket + 1;
    while (serving != ticket)
        ;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    serving = serving + 1;
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, customer, 0);
    }
}
