// expect: safe
// A readers-writer lock made of a mutex and two counters; readers give way to writers that wait.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int readers, waiting, writing;

static void *reader(void *unused) {
    int in = 0;
    while (!in) {
        pthread_mutex_lock(&m);
        if (!writing && waiting == 0) {
            readers++;
            in = 1;
        }
        pthread_mutex_unlock(&m);
    }
    assert(!writing);
    pthread_mutex_lock(&m);
    readers--;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *writer(void *unused) {
    int in = 0;
    pthread_mutex_lock(&m);
    waiting++;
    pthread_mutex_unlock(&m);
    while (!in) {
        pthread_mutex_lock(&m);
        if (!writing && readers == 0) {
            waiting--;
            writing = 1;
            in = 1;
        }
        pthread_mutex_unlock(&m);
    }
    assert(writing == 1 && readers == 0);
    pthread_mutex_lock(&m);
    writing = 0;
    pthread_mutex_unlock(&m);
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
