// expect(race): unsafe
// main reads the result without waiting for it.
#include <pthread.h>

int x;

static void *worker(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    return x;
}
