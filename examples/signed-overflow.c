// Two threads double a number. Its assertion holds in every run that C defines; but after the
// second doubling an `int` cannot hold the result, and what happens then C does not say.
//
// expect: safe
// expect(overflow): unsafe line 14
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int number = 1000000000;

void *grow(void *unused) {
    pthread_mutex_lock(&mutex);
    number = number + number;
    assert(number > 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, grow, 0);
    pthread_create(&two, 0, grow, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
