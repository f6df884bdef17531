// expect(race): safe
// The flag is set behind the data and tested in front of them.
#include <pthread.h>
#include <stdatomic.h>

int data, seen;
atomic_int ready;

static void *first(void *unused) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);

    return 0;
}

static void *second(void *unused) {
    if (atomic_load_explicit(&ready, memory_order_acquire)) seen = data;

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
