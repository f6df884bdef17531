#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int items;
void *consumer(void *unused) {
    pthread_mutex_lock(&m);
    if (items == 0)
        pthread_cond_wait(&c, &m);
    items--;
    assert(items >= 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, consumer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
