// Lamport's fast mutual exclusion for two threads in C (table 1, "Lamport"; ACM TOCS 5(1), 1987): without
// competition a thread enters after a fixed number of accesses to shared variables.
#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

int x, y;
int b1, b2;
int inside; // the thread that is in the critical section

static void critical_section(int me) {
    inside = me;
    if (inside != me)
        reach_error();
}

void *first(void *unused) {
start:
    b1 = 1;
    x = 1;
    if (y != 0) {
        b1 = 0;
        while (y != 0)
            ;
        goto start;
    }
    y = 1;
    if (x != 1) {
        b1 = 0;
        while (b2 >= 1)
            ;
        if (y != 1) {
            while (y != 0)
                ;
            goto start;
        }
    }
    critical_section(1);
    y = 0;
    b1 = 0;
    return 0;
}

void *second(void *unused) {
start:
    b2 = 1;
    x = 2;
    if (y != 0) {
        b2 = 0;
        while (y != 0)
            ;
        goto start;
    }
    y = 2;
    if (x != 2) {
        b2 = 0;
        while (b1 >= 1)
            ;
        if (y != 2) {
            while (y != 0)
                ;
            goto start;
        }
    }
    critical_section(2);
    y = 0;
    b2 = 0;
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
