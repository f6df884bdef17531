// expect(race): safe
// memset under the lock.
#include <pthread.h>
#include <string.h>

int data[4];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&m);
    memset(data, 0, sizeof data);
    pthread_mutex_unlock(&m);

    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    data[2] = 1;
    pthread_mutex_unlock(&m);

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
