// expect(race): unsafe
// Double-checked locking with a plain flag.
#include <pthread.h>

int made, value;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    if (!made) {
        pthread_mutex_lock(&m);
        if (!made) {
            value = 1;
            made = 1;
        }
        pthread_mutex_unlock(&m);
    }

    return 0;
}

static void *second(void *unused) {
    if (!made) {
        pthread_mutex_lock(&m);
        if (!made) {
            value = 1;
            made = 1;
        }
        pthread_mutex_unlock(&m);
    }

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
