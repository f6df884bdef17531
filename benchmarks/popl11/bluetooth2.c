// The stopping procedure of a Bluetooth driver in C (table 1, "Bluetooth2"; Qadeer and Wu, KISS, PLDI 2004).
// The driver can be stopped between a worker's look at `stopping` and its counting in; about the
// verdict see the model beside this file.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

// The driver itself counts as one pending operation.
int pending = 1;
_Bool stopping, event, stopped;

// Looks, and then counts.
static int count_in(void) {
    if (stopping)
        return -1;
    __VERIFIER_atomic_begin();
    pending = pending + 1;
    __VERIFIER_atomic_end();
    return 0;
}

static void count_out(void) {
    int left;
    __VERIFIER_atomic_begin();
    pending = pending - 1;
    left = pending;
    __VERIFIER_atomic_end();
    if (left == 0)
        event = 1;
}

void *worker(void *unused) {
    int status = count_in();
    if (status == 0) {
        // Work that needs the driver.
        if (stopped)
            reach_error();
    }
    count_out();
    return 0;
}

void *stopper(void *unused) {
    stopping = 1;
    count_out();
    __VERIFIER_assume(event);
    // Release what the driver holds.
    stopped = 1;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, stopper, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
