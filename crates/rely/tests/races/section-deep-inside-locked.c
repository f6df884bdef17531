// expect(race): safe
// The same, and both sides hold a mutex.
#include <pthread.h>

int x, y, z;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&m);
    __VERIFIER_atomic_begin();
    y = 1;
    z = y + 1;
    x = z;
    __VERIFIER_atomic_end();
    pthread_mutex_unlock(&m);

    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    x = 2;
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
