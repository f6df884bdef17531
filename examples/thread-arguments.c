// Each thread gets a pointer to its own part of the work and leaves its result there.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

struct task {
    int from, to;
    int sum;
};

struct task low = {1, 3, 0};
struct task high = {4, 6, 0};

void *add_up(void *argument) {
    struct task *task = argument;
    for (int i = task->from; i <= task->to; i++)
        task->sum += i;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, add_up, &low);
    pthread_create(&two, 0, add_up, &high);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(low.sum == 6 && high.sum == 15);
    return 0;
}
