// Taking is atomic, but looking first and taking then is not.
// expect: unsafe line 8
#include <pthread.h>
extern void abort(void);
void reach_error(void) {}
void __VERIFIER_assert(int condition) {
    if (!condition) {
        reach_error();
        abort();
    }
}

static int left = 1;

int __VERIFIER_atomic_look(void) { return left; }
void __VERIFIER_atomic_take(void) { left = left - 1; }

void *taker(void *unused) {
    if (__VERIFIER_atomic_look() > 0) {
        __VERIFIER_atomic_take();
        int now = __VERIFIER_atomic_look();
        __VERIFIER_assert(now >= 0);
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, taker, 0);
    pthread_create(&two, 0, taker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
