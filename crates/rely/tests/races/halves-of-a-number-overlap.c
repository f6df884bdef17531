// expect(race): unsafe
// A short number in the middle of the lower half.
#include <pthread.h>

long long wide;

static void *first(void *unused) {
    *(int *)&wide = 1;
    return 0;
}

static void *second(void *unused) {
    *(short *)((char *)&wide + 2) = 2;
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
