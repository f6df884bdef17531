// A mutex that refuses to let its owner wait for itself.
// expect: unsafe line 14
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock;

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutex_lock(&lock);
    assert(pthread_mutex_lock(&lock) == 0);
    return 0;
}
