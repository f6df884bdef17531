// A stack of at most two items whose top moves by compare-and-swap. A thread that loses the
// race sees the new top and tries again.
//
// expect: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int top;
int owner[2];

static void push(int me) {
    int seen = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &seen, seen + 1))
        ; // `seen` is now what was found instead
    assert(owner[seen] == 0);
    owner[seen] = me;
}

void *first(void *unused) {
    push(1);
    return 0;
}

void *second(void *unused) {
    push(2);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(top == 2);
    assert(owner[0] + owner[1] == 3);
    return 0;
}
