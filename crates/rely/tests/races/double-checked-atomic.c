// expect(race): safe
// Double-checked locking with an atomic flag.
#include <pthread.h>
#include <stdatomic.h>

atomic_int made;
int value, u, v;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    if (!atomic_load(&made)) {
        pthread_mutex_lock(&m);
        if (!atomic_load(&made)) {
            value = 1;
            atomic_store(&made, 1);
        }
        pthread_mutex_unlock(&m);
    }
    u = value;

    return 0;
}

static void *second(void *unused) {
    if (!atomic_load(&made)) {
        pthread_mutex_lock(&m);
        if (!atomic_load(&made)) {
            value = 1;
            atomic_store(&made, 1);
        }
        pthread_mutex_unlock(&m);
    }
    v = value;

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
