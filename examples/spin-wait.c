// A thread waits in a loop for a flag that another one sets.
// The loop ends if the scheduler is fair: `rely check --property termination --fair` says so.
// expect: safe
// expect(deadlock): safe
// expect(termination): unsafe
// expect(fair-termination): safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready = 0;

void *prepare(void *unused) {
    ready = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, prepare, 0);
    while (ready == 0) {
    }
    pthread_join(thread, 0);
    return 0;
}
