// expect(race): unsafe
// The first that asks writes, and so does the second.
#include <pthread.h>
#include <stdatomic.h>

atomic_int f;
int x;

static void *first(void *unused) {
    if (atomic_exchange(&f, 1) == 0) {
        x = 1;
    }
    return 0;
}

static void *second(void *unused) {
    if (atomic_exchange(&f, 1) == 1) {
        x = 2;
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
