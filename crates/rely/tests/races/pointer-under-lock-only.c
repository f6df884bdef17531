// expect(race): unsafe
// The pointer is read under the lock, and what it points to is written without it.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
int *p;

static void *first(void *unused) {
    pthread_mutex_lock(&m);
    p = &x;
    pthread_mutex_unlock(&m);
    x = 2;
    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    int *q = p;
    pthread_mutex_unlock(&m);
    if (q) {
        *q = 1;
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
