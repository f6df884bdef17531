// One thread runs the function of `once`, which wants the lock of another one, which waits for the function to end.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;

void begin(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

void *first(void *argument) {
    pthread_once(&once, begin);
    return 0;
}

void *second(void *argument) {
    pthread_mutex_lock(&m);
    pthread_once(&once, begin);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
