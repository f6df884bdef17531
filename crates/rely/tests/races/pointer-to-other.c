// expect(race): safe
// The pointer points elsewhere.
#include <pthread.h>

int x, y, z;
int __VERIFIER_nondet_int(void);

static void *first(void *unused) {
    int *p = __VERIFIER_nondet_int() ? &x : &y;
    *p = 1;

    return 0;
}

static void *second(void *unused) {
    z = 2;

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
