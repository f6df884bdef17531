// Two threads work in phases, but meet only once: the one that goes on writes for the next phase while
// the other one still reads. In `barrier.c` they meet again before that.
//
// expect: unsafe line 15
#include <assert.h>
#include <pthread.h>

pthread_barrier_t phase;
int left, right;

void *left_half(void *unused) {
    left = 1;
    pthread_barrier_wait(&phase);
    int seen = right;
    assert(seen == 1);
    left = 2;
    return 0;
}

void *right_half(void *unused) {
    right = 1;
    pthread_barrier_wait(&phase);
    int seen = left;
    assert(seen == 1);
    right = 2;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_barrier_init(&phase, 0, 2);
    pthread_create(&one, 0, left_half, 0);
    pthread_create(&two, 0, right_half, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
