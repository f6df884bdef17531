// expect(race): unsafe
// A thread and the one that it has created.
#include <pthread.h>

int x;

static void *inner(void *unused) {
    x = 1;
    return 0;
}

static void *outer(void *unused) {
    pthread_t a;
    pthread_create(&a, 0, inner, 0);
    x = 2;
    pthread_join(a, 0);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, outer, 0);
    pthread_join(a, 0);
    return x;
}
