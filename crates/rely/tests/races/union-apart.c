// expect(race): safe
// Two members of a union that do not overlap.
#include <pthread.h>

union {
    struct {
        short low, high;
    } parts;
    short word;
} u;

static void *first(void *unused) {
    u.parts.high = 1;
    return 0;
}

static void *second(void *unused) {
    u.word = 2;
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
