// Nobody remembers the signal: if it comes before the wait, it is lost.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *consume(void *argument) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

void *produce(void *argument) {
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, consume, 0);
    pthread_create(&u, 0, produce, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
