// Somebody calls `exit` while others wait: the process ends.
//
// expect(deadlock): safe
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *quit(void *argument) {
    exit(0);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, quit, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
