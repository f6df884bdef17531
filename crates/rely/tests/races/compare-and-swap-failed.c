// expect(race): unsafe
// Who has not got the lock writes.
#include <pthread.h>
#include <stdatomic.h>

atomic_int f;
int x;

static void *first(void *unused) {
    int expected = 0;
    if (!atomic_compare_exchange_strong(&f, &expected, 1)) {
        x++;
    }
    return 0;
}

static void *second(void *unused) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&f, &expected, 1)) {
        x++;
        atomic_store(&f, 0);
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
