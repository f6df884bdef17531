// expect(race): safe
// A barrier between writing and reading.
#include <pthread.h>

int x, y, u, v;
pthread_barrier_t bar;

static void *first(void *unused) {
    x = 1;
    pthread_barrier_wait(&bar);
    u = y;

    return 0;
}

static void *second(void *unused) {
    y = 1;
    pthread_barrier_wait(&bar);
    v = x;

    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&bar, 0, 2);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
