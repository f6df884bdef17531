// expect(race): unsafe
// The same member.
#include <pthread.h>

struct { int a, b; } s;

static void *first(void *unused) {
    s.a = 1;

    return 0;
}

static void *second(void *unused) {
    if (s.a) s.b = 1;

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
