// Main waits for the end of a server that has none.
// expect(deadlock): unsafe
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *serve(void *unused) {
    while (1) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t0;
    pthread_create(&t0, 0, serve, 0);
    pthread_join(t0, 0);
    return 0;
}
