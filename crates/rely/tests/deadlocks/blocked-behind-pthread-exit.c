// `main` ends by `pthread_exit`, which does not end the process: the other thread waits for ever.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *want(void *argument) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, want, 0);
    pthread_exit(0);
}
