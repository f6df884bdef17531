// expect(race): safe
// What main gives to the thread it does not touch any more until it is joined.
#include <pthread.h>

static void *worker(void *argument) {
    int *p = argument;
    *p = *p + 1;
    return 0;
}

int main(void) {
    pthread_t a;
    int mine = 1;
    pthread_create(&a, 0, worker, &mine);
    pthread_join(a, 0);
    return mine;
}
