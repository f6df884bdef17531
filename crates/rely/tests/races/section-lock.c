// expect(race): safe
// A lock made of an atomic function.
#include <pthread.h>

int lock, x;
void __VERIFIER_assume(int);

static void __VERIFIER_atomic_take(void) {
    __VERIFIER_assume(lock == 0);
    lock = 1;
}

static void __VERIFIER_atomic_give(void) {
    lock = 0;
}

static void *first(void *unused) {
    __VERIFIER_atomic_take();
    x++;
    __VERIFIER_atomic_give();

    return 0;
}

static void *second(void *unused) {
    __VERIFIER_atomic_take();
    x = 2;
    __VERIFIER_atomic_give();

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
