// P9 of table I (Le, Sanan, Sun, Lin: ReGaSol, ICECCS 2020) in C; see `loop2-10-20.rely`.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

#define M 10
#define N 20
int x, y;

void *thread_one(void *unused) {
    while (x < M) {
        __VERIFIER_atomic_begin();
        x = x + 1;
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *thread_two(void *unused) {
    while (y < N) {
        __VERIFIER_atomic_begin();
        y = y + 1;
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, thread_one, 0);
    pthread_create(&two, 0, thread_two, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (!(x == M && y == N))
        reach_error();
    return 0;
}
