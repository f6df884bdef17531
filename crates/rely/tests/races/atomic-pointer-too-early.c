// expect(race): unsafe
// A pointer is published in front of what it points to.
#include <pthread.h>
#include <stdatomic.h>

int *_Atomic p;
int x;
int y;

static void *first(void *unused) {
    p = &x;
    x = 3;
    return 0;
}

static void *second(void *unused) {
    int *q = p;
    if (q) {
        y = *q;
    }
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
