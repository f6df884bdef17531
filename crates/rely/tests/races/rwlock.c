// expect(race): safe
// Readers and a writer.
#include <pthread.h>

int x, y;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused) {
    pthread_rwlock_rdlock(&l);
    y = x;
    pthread_rwlock_unlock(&l);

    return 0;
}

static void *second(void *unused) {
    pthread_rwlock_wrlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);

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
