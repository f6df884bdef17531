// expect(race): unsafe
// A local of main is used by main and by the thread.
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
    mine = 2;
    pthread_join(a, 0);
    return mine;
}
