// expect(race): unknown
// Bytes of a printed string are read, but nobody knows which.
#include <pthread.h>
#include <stdio.h>

char text[4] = "abc";

static void *first(void *unused) {
    printf("%s", text);

    return 0;
}

static void *second(void *unused) {
    text[0] = 'x';

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
