// expect(race): unsafe
// The access that races comes late in the section.
#include <pthread.h>

int x, y, z;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static void *first(void *unused) {
    __VERIFIER_atomic_begin();
    y = 1;
    z = y + 1;
    x = z;
    __VERIFIER_atomic_end();

    return 0;
}

static void *second(void *unused) {
    x = 2;

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
