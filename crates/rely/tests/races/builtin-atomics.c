// expect(race): safe
// gcc's builtins are atomic on every variable.
#include <pthread.h>

int x;

static void *first(void *unused) {
    __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);

    return 0;
}

static void *second(void *unused) {
    int y = __atomic_load_n(&x, __ATOMIC_SEQ_CST);
    (void)y;

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
