// Dekker's algorithm (1965), the first solution of mutual exclusion for two threads.
//
// A thread that meets the other one's wish looks whose turn it is; the one whose turn it is
// not withdraws its wish until the turn has changed.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

_Bool wants_first, wants_second;
int turn = 1;
int inside;

void *first(void *unused) {
    wants_first = 1;
    while (wants_second) {
        if (turn != 1) {
            wants_first = 0;
            while (turn != 1)
                ;
            wants_first = 1;
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    turn = 2;
    wants_first = 0;
    return 0;
}

void *second(void *unused) {
    wants_second = 1;
    while (wants_first) {
        if (turn != 2) {
            wants_second = 0;
            while (turn != 2)
                ;
            wants_second = 1;
        }
    }
    inside++;
    assert(inside == 1);
    inside--;
    turn = 1;
    wants_second = 0;
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
// expect(race): unsafe line 16
