// expect(race): unsafe
// memset writes every byte.
#include <pthread.h>
#include <string.h>

int data[4];

static void *first(void *unused) {
    memset(data, 0, sizeof data);

    return 0;
}

static void *second(void *unused) {
    data[2] = 1;

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
