// expect(race): unsafe
// What is moved is read, too.
#include <pthread.h>
#include <string.h>

char text[8];

static void *first(void *unused) {
    memmove(text, text + 1, 4);
    return 0;
}

static void *second(void *unused) {
    text[4] = 1;
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
