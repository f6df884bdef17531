// expect(race): unsafe
// Handles, arguments and results of threads are in structures, and a result is read before its thread is joined.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct work {
    pthread_t thread;
    int number;
    int result;
};

static void *worker(void *argument) {
    struct work *work = argument;
    work->result = work->number * work->number;
    return 0;
}

int main(void) {
    struct work works[8];
    int n = __VERIFIER_nondet_int(), sum = 0;
    if (n < 1 || n > 8) return 0;
    for (int i = 0; i < n; i++) {
        works[i].number = i & 7;
        pthread_create(&works[i].thread, 0, worker, &works[i]);
    }
    for (int i = 0; i < n; i++) {
        sum = works[i].result;
        pthread_join(works[i].thread, 0);
    }
    return sum;
}
