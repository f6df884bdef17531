// expect(race): unknown
// The variable is defined in another file: nothing is known of it.
#include <pthread.h>

extern int shared;

static void *first(void *unused) {
    shared = 1;
    return 0;
}

static void *second(void *unused) {
    shared = 2;
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
