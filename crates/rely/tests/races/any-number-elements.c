// expect(race): unsafe
// Any number of threads, each with an element by an input.
#include <pthread.h>

int data[3];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int __VERIFIER_nondet_int(void);

static void *worker(void *unused) {
    int i = __VERIFIER_nondet_int();
    if (0 <= i && i < 3) data[i] = 1;
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t a;
        pthread_create(&a, 0, worker, 0);
    }
    return 0;
}
