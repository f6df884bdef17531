// A thread that is blocked when `main` returns ends with the process.
//
// expect(deadlock): safe
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
    return 0;
}
