// A loop that may never end runs while the lock is held.
// expect(deadlock): unsafe
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
int done;

void *f(void *unused) {
    pthread_mutex_lock(&a);
    while (1) {
        done = done ^ 1;
    }
    return 0;
}

int main(void) {
    pthread_t t0;
    pthread_create(&t0, 0, f, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}
