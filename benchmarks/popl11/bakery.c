// Lamport's Bakery algorithm for two threads in C (table 1, "Bakery"): reading the other's ticket and
// drawing one's own are different steps, and the flags `choosing` tell who is between them. With equal
// tickets the first thread goes first.
#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

int choosing1, choosing2;
int number1, number2;
int inside; // the thread that is in the critical section

static void critical_section(int me) {
    inside = me;
    if (inside != me)
        reach_error();
}

void *first(void *unused) {
    choosing1 = 1;
    number1 = number2 + 1;
    choosing1 = 0;
    while (choosing2 >= 1)
        ;
    while (number2 != 0 && number2 < number1)
        ;
    critical_section(1);
    number1 = 0;
    return 0;
}

void *second(void *unused) {
    choosing2 = 1;
    number2 = number1 + 1;
    choosing2 = 0;
    while (choosing1 >= 1)
        ;
    while (number1 != 0 && number1 <= number2)
        ;
    critical_section(2);
    number2 = 0;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
