// expect(race): safe
// A recursive function takes the lock where it ends.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void down(int depth) {
    if (depth == 0) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    } else {
        down(depth - 1);
    }
}

static void *first(void *unused) {
    down(3);
    return 0;
}

static void *second(void *unused) {
    down(2);
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
