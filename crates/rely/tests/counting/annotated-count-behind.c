// expect: unsafe line 9
// The worker says that it is inside only when it is.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

/*@rely invariant inside <= 1;
        invariant #(worker at working) == inside */

static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    inside++;
working:
    inside--;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
    }
}
