// A producer and a consumer with a ring buffer of two cells. Nobody locks: the producer alone
// writes `produced`, the consumer alone writes `consumed`, and each only looks at the other's.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define ITEMS 4

int buffer[SIZE];
volatile unsigned produced, consumed;

void *producer(void *unused) {
    for (int item = 1; item <= ITEMS; item++) {
        while (produced - consumed == SIZE)
            ; // full
        buffer[produced % SIZE] = item;
        produced++;
    }
    return 0;
}

void *consumer(void *unused) {
    for (int expected = 1; expected <= ITEMS; expected++) {
        while (produced == consumed)
            ; // empty
        int item = buffer[consumed % SIZE];
        assert(item == expected);
        consumed++;
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, producer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(produced == ITEMS && consumed == ITEMS);
    return 0;
}
// expect(race): unsafe line 19
