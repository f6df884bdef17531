// expect(race): safe
// A read-write lock is tried by both sides.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void *first(void *unused) {
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        int seen = x;
        pthread_rwlock_unlock(&lock);
        (void)seen;
    }
    return 0;
}

static void *second(void *unused) {
    if (pthread_rwlock_trywrlock(&lock) == 0) {
        x = 1;
        pthread_rwlock_unlock(&lock);
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
