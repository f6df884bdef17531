// expect(race): unsafe
// The same element.
#include <pthread.h>

int data[2];

static void *first(void *unused) {
    data[1] = 1;

    return 0;
}

static void *second(void *unused) {
    data[1] = 2;

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
