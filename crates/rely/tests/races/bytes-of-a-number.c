// expect(race): unsafe
// A byte of a number is a part of it.
#include <pthread.h>

int number;

static void *first(void *unused) {
    ((char *)&number)[3] = 1;
    return 0;
}

static void *second(void *unused) {
    number = 2;
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
