// expect(race): safe
// main writes before it creates the thread, and after it has joined it.
#include <pthread.h>

int x;

static void *worker(void *unused) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a;
    x = 1;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    x = 2;
    return x;
}
