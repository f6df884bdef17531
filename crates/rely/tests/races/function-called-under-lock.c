// expect(race): safe
// A function is called through a pointer while a lock is held.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void add(void) {
    x++;
}

static void locked(void (*function)(void)) {
    pthread_mutex_lock(&m);
    function();
    pthread_mutex_unlock(&m);
}

static void *first(void *unused) {
    locked(add);
    return 0;
}

static void *second(void *unused) {
    locked(add);
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
