// expect(race): safe
// The second thread starts when the first has ended.
#include <pthread.h>

int x;

static void *worker(void *unused) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(b, 0);
    return x;
}
