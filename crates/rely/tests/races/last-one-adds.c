// expect(race): safe
// Who is done last uses what both have written.
#include <pthread.h>
#include <stdatomic.h>

atomic_int f;
int one, other, sum;

static void *first(void *unused) {
    one = 1;
    if (atomic_fetch_add(&f, 1) == 1) {
        sum = one + other;
    }
    return 0;
}

static void *second(void *unused) {
    other = 1;
    if (atomic_fetch_add(&f, 1) == 1) {
        sum = one + other;
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
