// Servers that never end count what they do; nobody needs them to stop.
// expect(deadlock): safe
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned done;

void *serve(void *unused) {
    while (1) {
        pthread_mutex_lock(&lock);
        done = done + 1;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, serve, 0);
    pthread_create(&t1, 0, serve, 0);
    pthread_create(&t2, 0, serve, 0);
    pthread_exit(0);
    return 0;
}
