// Any number of visitors, and a hall with a number of seats that is only known when the program runs. How many
// visitors are seated is no variable of the program; the comment below counts them all the same.
//
// expect: safe

#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
int seats, taken;

//@rely never #(visitor at seated) > seats;

void *visitor(void *unused) {
    pthread_mutex_lock(&door);
    if (taken == seats) {
        pthread_mutex_unlock(&door);
        return 0;
    }
    taken++;
    pthread_mutex_unlock(&door);
seated:
    pthread_mutex_lock(&door);
    taken--;
    pthread_mutex_unlock(&door);
    return 0;
}

int main(void) {
    seats = rand() % 100;
    while (1) {
        pthread_t thread;
        pthread_create(&thread, 0, visitor, 0);
    }
}
