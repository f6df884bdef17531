// A lock of test and set whose test and set are two steps, and loops that wait.
// expect: unsafe line 21
#include <assert.h>
#include <pthread.h>

volatile int locked, inside, done;

static void acquire(void) {
    while (locked) {
    }
    locked = 1;
}

static void release(void) { locked = 0; }

void *worker(void *unused) {
    acquire();
    inside = inside + 1;
    int count = inside;
    // Fails: both have seen that the lock was free.
    assert(count == 1);
    inside = inside - 1;
    release();
    done = done + 1;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    while (done < 2) {
    }
    return 0;
}
