// expect(race): safe
// A lock made of compare-and-swap and an atomic store.
#include <pthread.h>

int lock, x;

static void *first(void *unused) {
    while (!__sync_bool_compare_and_swap(&lock, 0, 1)) { }
    x++;
    __sync_lock_release(&lock);

    return 0;
}

static void *second(void *unused) {
    while (!__sync_bool_compare_and_swap(&lock, 0, 1)) { }
    x = 2;
    __sync_lock_release(&lock);

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
