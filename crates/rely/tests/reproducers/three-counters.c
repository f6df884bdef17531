// Three threads increment twice each; one of them overwrites all the others.
// expect: unsafe line 20
#include <assert.h>
#include <pthread.h>

int counter;

void *increment(void *unused) {
    for (int round = 0; round < 2; round++)
        counter++;
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int index = 0; index < 3; index++)
        pthread_create(&threads[index], 0, increment, 0);
    for (int index = 0; index < 3; index++)
        pthread_join(threads[index], 0);
    assert(counter > 2);
    return 0;
}
