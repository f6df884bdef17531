// Szymanski's algorithm with linear wait for two threads in C (table 1, "Szymanski"). A thread that
// arrives (1) enters a waiting room while its door is open (3); if the other one is still arriving it
// waits inside (2) until the door is closed (4). Then they leave in their order.
#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

int flag1, flag2;
int inside; // the thread that is in the critical section

static void critical_section(int me) {
    inside = me;
    if (inside != me)
        reach_error();
}

void *first(void *unused) {
    flag1 = 1;
    while (flag2 >= 3)
        ;
    flag1 = 3;
    if (flag2 == 1) {
        flag1 = 2;
        while (flag2 != 4)
            ;
    }
    flag1 = 4;
    critical_section(1);
    // It leaves the door to the other one, unless that has not yet passed it.
    while (2 <= flag2 && flag2 <= 3)
        ;
    flag1 = 0;
    return 0;
}

void *second(void *unused) {
    flag2 = 1;
    while (flag1 >= 3)
        ;
    flag2 = 3;
    if (flag1 == 1) {
        flag2 = 2;
        while (flag1 != 4)
            ;
    }
    flag2 = 4;
    while (flag1 >= 2)
        ;
    critical_section(2);
    flag2 = 0;
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
