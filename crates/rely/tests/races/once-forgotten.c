// expect(race): unsafe
// One thread does not call pthread_once.
#include <pthread.h>

int x, y, z;
pthread_once_t once = PTHREAD_ONCE_INIT;

static void setup(void) {
    x = 1;
}

static void *first(void *unused) {
    pthread_once(&once, setup);
    y = x;

    return 0;
}

static void *second(void *unused) {
    z = x;

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
