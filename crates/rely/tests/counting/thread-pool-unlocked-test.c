// expect: unsafe line 15
// The queue is tested outside of the lock.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int queued;

static void *worker(void *unused) {
    while (1) {
        if (queued > 0) {
            pthread_mutex_lock(&m);
            queued--;
            assert(queued >= 0);
            pthread_mutex_unlock(&m);
        }
    }
}

int main(void) {
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
        pthread_mutex_lock(&m);
        if (queued < 100)
            queued++;
        pthread_mutex_unlock(&m);
    }
}
