// expect(race): unsafe
// One handle is lost before threads are joined.
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
    if (n > 1) t[0] = t[1];
    for (int i = n > 1; i < n; i++) pthread_join(t[i], 0);
    return sum;
}
