// expect(race): safe
// Functions take and give back the lock.
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) { pthread_mutex_lock(&m); }
static void leave(void) { pthread_mutex_unlock(&m); }

static void *worker(void *unused) {
    enter();
    x++;
    leave();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    enter();
    x = 0;
    leave();
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x;
}
