// expect: safe
// Any number of readers and writers with a lock of the library.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    assert(x == y);
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *writer(void *unused) {
    pthread_rwlock_wrlock(&lock);
    x = 3;
    y = 3;
    x = 0;
    y = 0;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, reader, 0);
        else
            pthread_create(&t, 0, writer, 0);
    }
}
