// Whoever comes first makes the table, and the others wait until it is made: nobody sees half of it.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

pthread_once_t made = PTHREAD_ONCE_INIT;
int table[2];

void make_table(void) {
    table[0] = 1;
    table[1] = table[0] + 1;
}

void *user(void *unused) {
    pthread_once(&made, make_table);
    assert(table[0] == 1 && table[1] == 2);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, user, 0);
    pthread_create(&two, 0, user, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
