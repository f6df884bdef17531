// expect(race): unsafe
// A detached thread is never waited for.
#include <pthread.h>

int x;

static void *worker(void *unused) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_detach(a);
    x = 2;
    return 0;
}
