// expect(race): safe
// Each thread has a variable of its own.
#include <pthread.h>

int x, y;

static void *first(void *unused) {
    x = 1;

    return 0;
}

static void *second(void *unused) {
    y = 1;

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
