// The divisor is tested, and then it is changed.
// expect: unsafe line 14
#include <pthread.h>

int divisor = 1, quotient;

void *clear(void *unused) {
    divisor = 0;
    return 0;
}

void *divide(void *unused) {
    if (divisor != 0)
        quotient = 100 / divisor;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, clear, 0);
    pthread_create(&two, 0, divide, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
