// expect(race): safe
// As many threads as somebody wants, and all of them are joined.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    sum++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t[16];
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 16) return 0;
    for (int i = 0; i < n; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0);
    return sum;
}
