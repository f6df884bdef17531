// The Bakery algorithm in its simple form in C (table 1, "NaiveBakery"; Manna and Pnueli): drawing a ticket
// larger than the other's is one step. Here each thread enters once, and looks at the other's ticket
// twice while it waits, as a C program does.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

int ticket1, ticket2;
int inside; // the thread that is in the critical section

static void critical_section(int me) {
    inside = me;
    if (inside != me)
        reach_error();
}

void *first(void *unused) {
    __VERIFIER_atomic_begin();
    ticket1 = ticket2 + 1;
    __VERIFIER_atomic_end();
    while (ticket2 != 0 && ticket2 < ticket1)
        ;
    critical_section(1);
    ticket1 = 0;
    return 0;
}

void *second(void *unused) {
    __VERIFIER_atomic_begin();
    ticket2 = ticket1 + 1;
    __VERIFIER_atomic_end();
    while (ticket1 != 0 && ticket1 <= ticket2)
        ;
    critical_section(2);
    ticket2 = 0;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
