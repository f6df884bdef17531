// expect(race): safe
// The handles are in a shared array, of which each is read in a step of its own.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t threads[12];

static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    sum++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 12) return 0;
    for (int i = 0; i < n; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < n; i++) pthread_join(threads[i], 0);
    return sum;
}
