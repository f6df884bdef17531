// expect(race): unsafe
// Members of a union overlap.
#include <pthread.h>

union { int number; char bytes[4]; } both;

static void *first(void *unused) {
    both.number = 1;
    return 0;
}

static void *second(void *unused) {
    both.bytes[2] = 2;
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
