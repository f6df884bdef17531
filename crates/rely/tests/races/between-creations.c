// expect(race): unsafe
// main writes while the first thread runs already.
#include <pthread.h>

int x;

static void *first(void *unused) {
    return x ? unused : 0;
}

static void *second(void *unused) {
    return x ? unused : 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    x = 1;
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
