// expect(race): unsafe
// A number of a byte has to wrap before there is a race.
#include <pthread.h>

int x;

static void *first(void *unused) {
    unsigned char number = 250;
    for (int i = 0; i < 7; i++) {
        number++;
    }
    if (number == 1) {
        x = 1;
    }
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
