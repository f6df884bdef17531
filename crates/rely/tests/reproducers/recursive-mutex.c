// The mutex can be taken twice; what is read without it can change.
// expect: unsafe line 27
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
struct { pthread_mutex_t lock; int data; } shared;

void *writer(void *unused) {
    pthread_mutex_lock(&shared.lock);
    shared.data = 1;
    shared.data = 2;
    pthread_mutex_unlock(&shared.lock);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&shared.lock, &attributes);
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&shared.lock);
    pthread_mutex_lock(&shared.lock);
    pthread_mutex_unlock(&shared.lock);
    pthread_mutex_unlock(&shared.lock);
    assert(shared.data != 1);
    return 0;
}
