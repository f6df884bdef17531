// The ring buffer again, with a mistake of one: the producer believes that a full buffer has
// room for one more item, and overwrites what the consumer has not read yet.
//
// expect: unsafe line 29
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define ITEMS 3

int buffer[SIZE];
volatile unsigned produced, consumed;

void *producer(void *unused) {
    for (int item = 1; item <= ITEMS; item++) {
        while (produced - consumed > SIZE)
            ; // should be: == SIZE
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
    return 0;
}
// expect(race): unsafe line 19
