// expect(race): safe
// A member that is no bit-field is a memory location of its own.
#include <pthread.h>

struct { unsigned a : 3; char c; unsigned b : 3; } flags;

static void *first(void *unused) {
    flags.a = 1;
    return 0;
}

static void *second(void *unused) {
    flags.c = 2;
    flags.b = 1;
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
