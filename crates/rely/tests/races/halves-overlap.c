// expect(race): unsafe
// The halves overlap by one element.
#include <pthread.h>

int data[6];

static void *first(void *unused) {
    for (int i = 0; i <= 3; i++) data[i] = 1;

    return 0;
}

static void *second(void *unused) {
    for (int i = 3; i < 6; i++) data[i] = 1;

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
