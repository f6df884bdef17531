// Each thread asks for an input; only for some inputs and one order the sum is wrong.
// expect: unsafe line 25
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int total, limit = 5;

void *adder(void *unused) {
    int amount = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(amount <= 3);
    if (total + amount <= limit)
        total = total + amount;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, adder, 0);
    pthread_create(&two, 0, adder, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(total <= limit);
    return 0;
}
