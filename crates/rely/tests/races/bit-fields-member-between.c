// expect(race): safe
// Another member between two bit-fields separates them.
#include <pthread.h>

struct {
    unsigned low : 3;
    char between;
    unsigned high : 3;
} s;

static void *first(void *unused) {
    s.low = 1;
    return 0;
}

static void *second(void *unused) {
    s.high = 2;
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
