// Peterson's algorithm (1981): mutual exclusion for two threads with plain loads and stores.
//
// Each thread announces that it wants to enter, then gives way to the other one. Both can only
// be stopped at the loop if both give way to each other, and `turn` has only one value.
//
// expect: safe
// expect(deadlock): safe
#include <assert.h>
#include <pthread.h>

int wants[2];
int turn;
int inside; // how many threads are in the critical section

void *first(void *unused) {
    wants[0] = 1;
    turn = 1;
    while (wants[1] == 1 && turn == 1)
        ;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    wants[0] = 0;
    return 0;
}

void *second(void *unused) {
    wants[1] = 1;
    turn = 0;
    while (wants[0] == 1 && turn == 0)
        ;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    wants[1] = 0;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
// expect(race): unsafe line 18
