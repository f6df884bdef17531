// expect(race): safe
// A fixed number of threads, each with its element.
#include <pthread.h>

int data[3];

static void *worker(void *argument) {
    int i = (int)(long)argument;
    data[i] = 1;
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return data[0] + data[1] + data[2];
}
