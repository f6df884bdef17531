// expect(race): safe
// The index depends on an input, but is never the same.
#include <pthread.h>

int data[4];
int __VERIFIER_nondet_int(void);

static void *first(void *unused) {
    int i = __VERIFIER_nondet_int();
    if (0 <= i && i < 2) data[i] = 1;

    return 0;
}

static void *second(void *unused) {
    data[2] = 2;

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
