// expect(race): unsafe
// The length of a text is found by reading it.
#include <pthread.h>
#include <string.h>

char text[16];
unsigned long length;

static void *first(void *unused) {
    strcpy(text, "abc");
    return 0;
}

static void *second(void *unused) {
    length = strlen(text);
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
