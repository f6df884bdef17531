// Whoever does not get the lock goes on without it.
// expect: unsafe line 22
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int value;

void *worker(void *unused) {
    int failed = pthread_mutex_trylock(&mutex);
    value = value + 1;
    if (!failed)
        pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    assert(value == 2);
    return 0;
}
