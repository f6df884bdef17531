// expect(race): unsafe
// The flag is set in front of the data.
#include <pthread.h>
#include <stdatomic.h>

int data, seen;
atomic_int ready;

static void *first(void *unused) {
    atomic_store(&ready, 1);
    data = 42;

    return 0;
}

static void *second(void *unused) {
    if (atomic_load(&ready)) seen = data;

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
