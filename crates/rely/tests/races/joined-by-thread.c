// expect(race): safe
// A thread waits for the one that it has created, and main for both.
#include <pthread.h>

int x;

static void *inner(void *unused) {
    x = 1;
    return 0;
}

static void *outer(void *unused) {
    pthread_t a;
    pthread_create(&a, 0, inner, 0);
    pthread_join(a, 0);
    x++;
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, outer, 0);
    pthread_join(a, 0);
    return x;
}
