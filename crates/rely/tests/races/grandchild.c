// expect(race): unsafe
// The end of a thread is not that of the threads that it has created.
#include <pthread.h>

int x;

static void *last(void *unused) {
    x = 1;
    return 0;
}

static void *middle(void *unused) {
    pthread_t thread;
    pthread_create(&thread, 0, last, 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, middle, 0);
    pthread_join(thread, 0);
    return x;
}
