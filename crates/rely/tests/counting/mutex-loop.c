// expect: safe
// Main starts threads for as long as it likes; each is alone in its critical section.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
    return 0;
}
