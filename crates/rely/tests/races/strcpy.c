// expect(race): unsafe
// strcpy writes the bytes of a string.
#include <pthread.h>
#include <string.h>

char text[8];
char first_letter;

static void *first(void *unused) {
    strcpy(text, "abc");

    return 0;
}

static void *second(void *unused) {
    first_letter = text[1];

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
