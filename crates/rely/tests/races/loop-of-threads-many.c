// expect(race): safe
// So many threads that only what is known of each of them by itself leads anywhere.
#include <pthread.h>

int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    sum++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t[40];
    for (int i = 0; i < 40; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 40; i++) pthread_join(t[i], 0);
    return sum;
}
