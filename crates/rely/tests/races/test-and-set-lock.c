// expect(race): safe
// A lock made of atomic_flag.
#include <pthread.h>
#include <stdatomic.h>

atomic_flag lock = ATOMIC_FLAG_INIT;
int x;

static void *first(void *unused) {
    while (atomic_flag_test_and_set(&lock)) { }
    x++;
    atomic_flag_clear(&lock);

    return 0;
}

static void *second(void *unused) {
    while (atomic_flag_test_and_set(&lock)) { }
    x = 2;
    atomic_flag_clear(&lock);

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
