// expect(race): unsafe
// main ends while the thread still writes, and has read before.
#include <pthread.h>

int x;

static void *worker(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    int y = x;
    return y;
}
