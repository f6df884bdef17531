// expect(race): unsafe
// A flag that ends a loop and is not atomic.
#include <pthread.h>

int stop, work;

static void *first(void *unused) {
    while (!stop) { work = 1; }

    return 0;
}

static void *second(void *unused) {
    stop = 1;

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
