// QRCU (see `qrcu.c`) with two readers and an updater, in C. There is no modular proof.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

int idx;          // which of the counters new readers use
int ctr[2] = {1, 0};
int updating;     // the updater that holds the lock, or 0
int progress[2];  // of each reader: 1 while it reads, 2 when it has read

// Counts a reader in and tells at which counter, unless the counter was at zero.
static int try_enter(int counter) {
    int entered = 0;
    __VERIFIER_atomic_begin();
    if (ctr[counter] > 0) {
        ctr[counter] = ctr[counter] + 1;
        entered = 1;
    }
    __VERIFIER_atomic_end();
    return entered;
}

static void read_lock(int *counter) {
    do {
        *counter = idx;
    } while (!try_enter(*counter));
}

static void read_unlock(int counter) {
    __VERIFIER_atomic_begin();
    ctr[counter] = ctr[counter] - 1;
    __VERIFIER_atomic_end();
}

static void reader(int me) {
    int counter;
    read_lock(&counter);
    progress[me] = 1;
    progress[me] = 2;
    read_unlock(counter);
}

// The sum of the counters, read one after the other in one order or the other.
static int sum_of_counters(void) {
    int first = __VERIFIER_nondet_bool() ? 0 : 1;
    int sum = ctr[first];
    return sum + ctr[1 - first];
}

// Waits until every reader that is reading now has left.
static void synchronize(void) {
    int sum = sum_of_counters();
    if (sum <= 1)
        sum = sum_of_counters();
    if (sum > 1) {
        __VERIFIER_atomic_begin();
        __VERIFIER_assume(updating == 0);
        updating = 3;
        __VERIFIER_atomic_end();
        int old = idx;
        __VERIFIER_atomic_begin();
        ctr[1 - old] = ctr[1 - old] + 1;
        __VERIFIER_atomic_end();
        idx = 1 - old;
        __VERIFIER_atomic_begin();
        ctr[old] = ctr[old] - 1;
        __VERIFIER_atomic_end();
        while (ctr[old] > 0)
            ;
        updating = 0;
    }
}

void *first_reader(void *unused) {
    reader(0);
    return 0;
}

void *second_reader(void *unused) {
    reader(1);
    return 0;
}

void *updater(void *unused) {
    int started0 = progress[0];
    int started1 = progress[1];
    synchronize();
    if (started0 == 1 && progress[0] == 1)
        reach_error();
    if (started1 == 1 && progress[1] == 1)
        reach_error();
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, first_reader, 0);
    pthread_create(&t2, 0, second_reader, 0);
    pthread_create(&t3, 0, updater, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
