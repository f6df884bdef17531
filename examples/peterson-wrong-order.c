// Peterson's algorithm with its first two stores exchanged: a thread gives way before it says
// that it wants to enter. That is all it takes to let both in.
//
// expect: unsafe line 20
#include <assert.h>
#include <pthread.h>

int wants[2];
int turn;
int inside;

void *first(void *unused) {
    turn = 1;
    wants[0] = 1;
    while (wants[1] == 1 && turn == 1)
        ;
    // The second thread may be inside as well: it came by before `wants[0]` was set, and it gave
    // way after this one did, so `turn` does not stop this one.
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    wants[0] = 0;
    return 0;
}

void *second(void *unused) {
    turn = 0;
    wants[1] = 1;
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
// expect(race): unsafe line 13
