// expect(race): safe
// main writes before it starts any number of threads that read.
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int __VERIFIER_nondet_int(void);

static void *worker(void *unused) {
    int y = x;
    (void)y;
    return 0;
}

int main(void) {
    x = 1;
    while (__VERIFIER_nondet_int()) {
        pthread_t a;
        pthread_create(&a, 0, worker, 0);
    }
    return 0;
}
