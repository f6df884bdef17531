// expect(race): unsafe
// The element is taken behind the unlock, while the next one may be put there.
#include <pthread.h>

int queue, full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        queue = 7;
        full = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    while (!full) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    queue = 0;
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
