// expect(race): unsafe
// The flag is not atomic.
#include <pthread.h>

int data, seen;
int ready;

static void *first(void *unused) {
    data = 42;
    ready = 1;

    return 0;
}

static void *second(void *unused) {
    if (ready) seen = data;

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
