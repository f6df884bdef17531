// expect(race): unsafe
// Two threads take turns, and one of them goes on when it is not its turn.
#include <pthread.h>
#include <stdatomic.h>

atomic_int f;
int x;

static void *first(void *unused) {
    for (int i = 0; i < 3; i++) {
        while (f != 0) {
        }
        x++;
        f = 1;
    }
    x++;
    return 0;
}

static void *second(void *unused) {
    for (int i = 0; i < 3; i++) {
        while (f != 1) {
        }
        x++;
        f = 0;
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
