// A spinlock made of one atomic exchange: whoever finds a zero has the lock.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

volatile int lock;
int counter;

static void acquire(void) {
    while (__sync_lock_test_and_set(&lock, 1))
        ;
}

static void release(void) {
    __sync_lock_release(&lock);
}

void *worker(void *unused) {
    for (int i = 0; i < 2; i++) {
        acquire();
        counter++;
        release();
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 4);
    return 0;
}
