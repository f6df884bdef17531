// expect(race): unsafe
// A race under one input alone.
#include <pthread.h>

int x;
int __VERIFIER_nondet_int(void);

static void *first(void *unused) {
    if (__VERIFIER_nondet_int() == 4711) x = 1;

    return 0;
}

static void *second(void *unused) {
    x = 2;

    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
