// expect(race): unsafe
// The lock of the other element is taken.
#include <pthread.h>

int data[2];
pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
int __VERIFIER_nondet_int(void);

static void *first(void *unused) {
    int i = __VERIFIER_nondet_int();
    if (0 <= i && i < 2) {
        pthread_mutex_lock(&locks[i]);
        data[i]++;
        pthread_mutex_unlock(&locks[i]);
    }

    return 0;
}

static void *second(void *unused) {
    int i = __VERIFIER_nondet_int();
    if (0 <= i && i < 2) {
        pthread_mutex_lock(&locks[1 - i]);
        data[i]++;
        pthread_mutex_unlock(&locks[1 - i]);
    }

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
