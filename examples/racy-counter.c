// Two threads increment a counter without protection. An increment is a load and a store, and
// between the two of one thread the other one's store can get lost.
//
// expect: unsafe line 21
#include <assert.h>
#include <pthread.h>

int counter;

void *increment(void *unused) {
    counter++;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, increment, 0);
    pthread_create(&two, 0, increment, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2);
    return 0;
}
// expect(race): unsafe line 11
