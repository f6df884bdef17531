// P8 of table I (Le, Sanan, Sun, Lin: ReGaSol, ICECCS 2020) in C; see `loop1-100.rely`.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

#define N 100
int x;

void *thread_one(void *unused) {
    while (x < N) {
        __VERIFIER_atomic_begin();
        x = x + 1;
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *thread_two(void *unused) {
    x = 20;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, thread_one, 0);
    pthread_create(&two, 0, thread_two, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (!(x == 20 || x == N))
        reach_error();
    return 0;
}
