// Unsigned arithmetic wraps around, and that is not an error: sequence numbers of one byte are
// compared by their distance, which stays right when they pass 255.
//
// expect: safe
// expect(overflow): safe
#include <assert.h>
#include <pthread.h>

volatile unsigned char sent = 254, received = 254;

void *sender(void *unused) {
    for (int i = 0; i < 4; i++) {
        while ((unsigned char)(sent - received) >= 2)
            ; // at most two are on their way
        sent++;
    }
    return 0;
}

void *receiver(void *unused) {
    for (int i = 0; i < 4; i++) {
        while (sent == received)
            ;
        received++;
        assert((unsigned char)(sent - received) <= 2);
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&two, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(sent == 2 && received == 2);
    return 0;
}
// expect(race): unsafe line 15
