// expect(race): safe
// A lock is tried until it is held.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *unused) {
    while (pthread_mutex_trylock(&m) != 0) {
    }
    x++;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    x++;
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
