// expect(race): safe
// Any number of threads with a lock.
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int __VERIFIER_nondet_int(void);

static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t a;
        pthread_create(&a, 0, worker, 0);
    }
    return 0;
}
