// expect(race): unsafe
// A fixed number of threads add to one sum.
#include <pthread.h>

int sum;

static void *worker(void *argument) {
    sum += (int)(long)argument;
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return sum;
}
