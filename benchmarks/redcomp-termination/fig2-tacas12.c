// Termination that needs more than one ranking function (Popeea, Rybalchenko, TACAS 2012): two threads lower `x`, or
// lower `y` and leave `x` alone. Neither `x` nor `y` gets smaller with every round, and `y` can grow when `x` gets smaller.
// Written from the description in the literature; the bounds are any numbers.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *lower(void *unused) {
    int again = 1;
    while (again) {
        pthread_mutex_lock(&lock);
        if (x > 0 && y > 0) {
            if (__VERIFIER_nondet_int()) {
                x = x - 1;
                y = __VERIFIER_nondet_int();
            } else {
                y = y - 1;
            }
        } else {
            again = 0;
        }
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t first, second;
    x = __VERIFIER_nondet_int();
    y = __VERIFIER_nondet_int();
    pthread_create(&first, 0, lower, 0);
    pthread_create(&second, 0, lower, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
