// expect(race): unsafe
// The last byte of a number.
#include <pthread.h>

union {
    int number;
    char bytes[4];
} u;
int x;

static void *first(void *unused) {
    u.bytes[3] = 1;
    return 0;
}

static void *second(void *unused) {
    x = u.number;
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
