// Both threads would fail; the trace says which one does.
// expect: unsafe line 7
#include <assert.h>
#include <pthread.h>

void *check(void *number) {
    assert(number == 0);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, check, (void *)1);
    pthread_create(&two, 0, check, (void *)2);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
