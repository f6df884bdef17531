// expect(race): safe
// The lock is a member of what it protects.
#include <pthread.h>

struct { pthread_mutex_t lock; int value; } s = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void *first(void *unused) {
    pthread_mutex_lock(&s.lock);
    s.value++;
    pthread_mutex_unlock(&s.lock);

    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&s.lock);
    s.value = 2;
    pthread_mutex_unlock(&s.lock);

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
