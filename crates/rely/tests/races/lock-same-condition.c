// expect(race): safe
// Taken and given back under the same condition, and used only then.
#include <pthread.h>

int x;
int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    int c = __VERIFIER_nondet_int();
    if (c) pthread_mutex_lock(&m);
    if (c) x++;
    if (c) pthread_mutex_unlock(&m);

    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);

    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
