// expect(race): safe
// Threads are told which lock protects what they are told to use.
#include <pthread.h>

struct context {
    pthread_mutex_t *lock;
    int *data;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *worker(void *argument) {
    struct context *context = argument;
    pthread_mutex_lock(context->lock);
    *context->data = *context->data + 1;
    pthread_mutex_unlock(context->lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    struct context one = {&m, &x}, other = {&m, &x};
    pthread_create(&a, 0, worker, &one);
    pthread_create(&b, 0, worker, &other);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
