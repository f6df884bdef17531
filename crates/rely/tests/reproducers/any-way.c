// The inputs are the conditions of branches themselves.
// expect: unsafe line 26
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
extern bool __VERIFIER_nondet_bool(void);

int open_files;

void *worker(void *unused) {
    if (__VERIFIER_nondet_bool())
        return 0;
    if (__VERIFIER_nondet_bool())
        open_files = open_files + 1;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (__VERIFIER_nondet_bool())
        open_files = open_files * 3;
    assert(open_files != 6);
    return 0;
}
