// expect(race): safe
// Two stages, each with its lock, and a value that goes through both.
#include <pthread.h>

int in, out;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&m);
    in = 1;
    int y = in;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    out = y;
    pthread_mutex_unlock(&n);

    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&n);
    out++;
    pthread_mutex_unlock(&n);
    pthread_mutex_lock(&m);
    in = 0;
    pthread_mutex_unlock(&m);

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
