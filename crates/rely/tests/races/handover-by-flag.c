// expect(race): safe
// The flag goes back and forth, and with it the data.
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int turn;

static void *first(void *unused) {
    while (turn != 0) { }
    data = 1;
    turn = 1;

    return 0;
}

static void *second(void *unused) {
    while (turn != 1) { }
    data = 2;
    turn = 0;

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
