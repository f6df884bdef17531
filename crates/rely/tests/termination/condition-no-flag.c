// A signal before the wait, and no flag that tells of it.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): unsafe
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *setter(void *unused) {
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t0;
    pthread_create(&t0, 0, setter, 0);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t0, 0);
    return 0;
}
