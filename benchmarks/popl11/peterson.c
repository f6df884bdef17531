// Peterson's algorithm for two threads in C (table 1, "Peterson"): each thread says that it is
// interested, gives way, and waits until the other is not interested or has given way itself.
#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

int flag1, flag2;
int turn;
int inside; // the thread that is in the critical section

static void critical_section(int me) {
    inside = me;
    if (inside != me)
        reach_error();
}

void *first(void *unused) {
    flag1 = 1;
    turn = 2;
    while (flag2 == 1 && turn == 2)
        ;
    critical_section(1);
    flag1 = 0;
    return 0;
}

void *second(void *unused) {
    flag2 = 1;
    turn = 1;
    while (flag1 == 1 && turn == 1)
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
