// expect(race): unsafe
// Bit-fields of one byte: to write one is to read and write its neighbour.
#include <pthread.h>

struct { unsigned a : 3, b : 5; } flags;

static void *first(void *unused) {
    flags.a = 1;
    return 0;
}

static void *second(void *unused) {
    flags.b = 2;
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
