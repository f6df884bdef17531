// expect(race): unknown
// What is written to a file is read before, but nobody knows how much.
#include <pthread.h>
#include <unistd.h>

int x;

static void *first(void *unused) {
    write(1, &x, sizeof x);
    return 0;
}

static void *second(void *unused) {
    x = 2;
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
