// expect(race): unsafe
// A counter that is only a hint is a race all the same.
#include <pthread.h>

int hits;

static void *first(void *unused) {
    hits++;

    return 0;
}

static void *second(void *unused) {
    hits++;

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
