// expect(race): safe
// Compound assignments of an atomic variable.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *first(void *unused) {
    x++;
    x += 2;
    x |= 4;
    return 0;
}

static void *second(void *unused) {
    x--;
    x = x + 1;
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
