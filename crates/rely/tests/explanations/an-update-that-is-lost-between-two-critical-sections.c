#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;
void *add(void *unused) {
    pthread_mutex_lock(&m);
    int seen = n;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = seen + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, add, 0);
    pthread_create(&two, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(n == 2);
}
