// A thread takes a lock that it has.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): unsafe
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

void *f(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void) {
    pthread_t t0;
    pthread_create(&t0, 0, f, 0);
    pthread_join(t0, 0);
    return 0;
}
