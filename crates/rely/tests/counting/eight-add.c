// expect: safe
// Eight threads add 1,000 each under a lock: that their number is known is no harder than any number.
#include <assert.h>
#include <pthread.h>

int sum;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *adder(void *unused) {
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], 0, adder, 0);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], 0);
    assert(sum == 8000);
    return 0;
}
