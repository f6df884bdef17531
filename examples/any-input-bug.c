// The same hand-over with a special case that only two of the 2^32 numbers reach. Exploration
// tries the numbers that the program itself mentions and their neighbours, and finds it.
//
// expect: unsafe line 28
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int message, sent;
volatile _Bool ready;

void *sender(void *unused) {
    sent = __VERIFIER_nondet_int();
    if (sent > 4711 && sent < 4714)
        message = 0;
    else
        message = sent;
    ready = 1;
    return 0;
}

void *receiver(void *unused) {
    while (!ready)
        ;
    int got = message;
    int wanted = sent;
    assert(got == wanted);
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
// expect(race): unsafe line 19
// expect(deadlock): safe
