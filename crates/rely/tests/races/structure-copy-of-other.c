// expect(race): safe
// Each thread copies another structure.
#include <pthread.h>

struct pair { int a, b; } s, t, u, v;

static void *first(void *unused) {
    t = s;

    return 0;
}

static void *second(void *unused) {
    v = u;

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
