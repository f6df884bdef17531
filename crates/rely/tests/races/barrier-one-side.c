// expect(race): unsafe
// Something is written behind the barrier.
#include <pthread.h>

int x, u;
pthread_barrier_t bar;

static void *first(void *unused) {
    pthread_barrier_wait(&bar);
    x = 1;

    return 0;
}

static void *second(void *unused) {
    pthread_barrier_wait(&bar);
    u = x;

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
