// expect: unsafe line 17
// A consumer that tests only once takes what another one has taken already.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

static void *consumer(void *unused) {
    pthread_mutex_lock(&m);
    if (items == 0)
        pthread_cond_wait(&filled, &m);
    items--;
    int left = items;
    assert(left >= 0);
    pthread_mutex_unlock(&m);
    return 0;
}

static void *producer(void *unused) {
    pthread_mutex_lock(&m);
    if (items < 10)
        items++;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, producer, 0);
        else
            pthread_create(&t, 0, consumer, 0);
    }
}
