// expect(race): safe
// Between two barriers one thread writes, before and behind them the other uses it.
#include <pthread.h>

pthread_barrier_t barrier;
int x;
int y;

static void *first(void *unused) {
    pthread_barrier_wait(&barrier);
    x = 1;
    pthread_barrier_wait(&barrier);
    return 0;
}

static void *second(void *unused) {
    x = 2;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    y = x;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
