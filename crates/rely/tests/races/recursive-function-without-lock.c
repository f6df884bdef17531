// expect(race): unsafe
// A recursive function goes on when it has given the lock back.
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
        if (depth == 2) {
            x++;
        }
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
