// expect(race): unsafe
// main looks at the sum before the last thread is joined.
#include <pthread.h>

int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument) {
    pthread_mutex_lock(&m);
    sum += (int)(long)argument;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return sum;
}
