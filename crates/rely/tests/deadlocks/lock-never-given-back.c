// One thread ends with the lock, and the other one waits for it for ever.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *keep(void *argument) {
    pthread_mutex_lock(&m);
    return 0;
}

void *want(void *argument) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, keep, 0);
    pthread_create(&u, 0, want, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
