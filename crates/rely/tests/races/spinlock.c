// expect(race): safe
// A spin lock.
#include <pthread.h>

int x;
pthread_spinlock_t s;

static void *first(void *unused) {
    pthread_spin_lock(&s);
    x = 1;
    pthread_spin_unlock(&s);

    return 0;
}

static void *second(void *unused) {
    pthread_spin_lock(&s);
    x = 2;
    pthread_spin_unlock(&s);

    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&s, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
