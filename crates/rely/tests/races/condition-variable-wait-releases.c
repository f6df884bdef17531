// expect(race): unsafe
// What is read in front of the wait and written by another thread is protected, but not what is written without the mutex.
#include <pthread.h>

int queue, full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused) {
    queue = 7;
    pthread_mutex_lock(&m);
    full = 1;
    pthread_mutex_unlock(&m);

    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    queue = 1;
    while (!full) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);

    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
