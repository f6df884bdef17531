// Two threads work in phases and meet between them: each reads what the other one has written in
// the phase before. The barrier is used twice, for the next phase writes again.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

pthread_barrier_t phase;
int left, right;

void *left_half(void *unused) {
    left = 1;
    pthread_barrier_wait(&phase);
    int seen = right;
    assert(seen == 1);
    pthread_barrier_wait(&phase);
    left = 2;
    return 0;
}

void *right_half(void *unused) {
    right = 1;
    pthread_barrier_wait(&phase);
    int seen = left;
    assert(seen == 1);
    pthread_barrier_wait(&phase);
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
