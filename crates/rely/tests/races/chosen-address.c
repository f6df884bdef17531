// expect(race): safe
// A conditional expression has one of two addresses.
#include <pthread.h>

int one, other;

static void *first(void *unused) {
    int chosen = 1;
    *(chosen ? &one : &other) = 1;
    return 0;
}

static void *second(void *unused) {
    other = 1;
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
