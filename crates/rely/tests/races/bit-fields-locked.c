// expect(race): safe
// The lock protects all bit-fields of the location.
#include <pthread.h>

struct { unsigned a : 3, b : 5; } flags;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    flags.a = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    flags.b = 2;
    pthread_mutex_unlock(&lock);
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
