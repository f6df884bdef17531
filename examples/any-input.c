// A number that comes from outside is handed from one thread to the other. That the receiver
// gets what was sent holds for each of the 2^32 numbers. Exploration can only try some of
// them, so it finds no mistake and must not call that a proof; rely-guarantee reasoning proves it.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int message, sent;
volatile _Bool ready;

void *sender(void *unused) {
    sent = __VERIFIER_nondet_int();
    message = sent;
    ready = 1;
    return 0;
}

void *receiver(void *unused) {
    while (!ready)
        ;
    assert(message == sent);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sender, 0);
    pthread_create(&two, 0, receiver, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
// expect(race): unsafe line 17
// expect(deadlock): safe
