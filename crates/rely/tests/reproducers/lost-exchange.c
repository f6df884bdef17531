// A maximum is updated with a comparison and a store that are not one operation.
// expect: unsafe line 24
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int maximum;

static void offer(int value) {
    if (atomic_load(&maximum) < value)
        atomic_store(&maximum, value);
}

void *three(void *unused) { offer(3); return 0; }
void *seven(void *unused) { offer(7); return 0; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, three, 0);
    pthread_create(&two, 0, seven, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    int found = atomic_load(&maximum);
    assert(found == 7);
    return 0;
}
