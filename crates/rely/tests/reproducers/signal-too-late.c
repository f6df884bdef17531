// A waiter that uses `if` where `while` is needed goes on although there is nothing.
// expect: unsafe line 16
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items;

void *consumer(void *unused) {
    pthread_mutex_lock(&mutex);
    if (items == 0)
        pthread_cond_wait(&filled, &mutex);
    items--;
    // Fails: another consumer was faster, or nobody has produced at all.
    assert(items >= 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, consumer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
