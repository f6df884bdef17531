// `main` waits for a thread that waits for the lock that `main` holds.
// expect(deadlock): unsafe
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int value;

void *worker(void *unused) {
    pthread_mutex_lock(&mutex);
    value = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&mutex);
    pthread_join(thread, 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
