// One condition stands for two predicates, and a signal may go to somebody who waits for the other one.
//
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full;

void *put_twice(void *argument) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (full)
            pthread_cond_wait(&c, &m);
        full = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *get(void *argument) {
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&c, &m);
    full = 0;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, put_twice, 0);
    pthread_create(&u, 0, get, 0);
    pthread_create(&v, 0, get, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    return 0;
}
