// expect(race): unsafe
// Who reads a bit-field races with who writes its neighbour.
#include <pthread.h>

struct { unsigned a : 3, b : 5; } flags;
int seen;

static void *first(void *unused) {
    flags.a = 1;
    return 0;
}

static void *second(void *unused) {
    seen = flags.b;
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
