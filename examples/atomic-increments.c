// The same counter in three dialects of atomic arithmetic: gcc's old builtins, its new ones,
// and C11. None loses an increment.
//
// expect: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int old_style, new_style;
_Atomic int standard;

void *increment(void *unused) {
    __sync_fetch_and_add(&old_style, 1);
    __atomic_fetch_add(&new_style, 1, __ATOMIC_SEQ_CST);
    standard++; // one step, because the variable is _Atomic
    return 0;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, increment, 0);
    pthread_create(&two, 0, increment, 0);
    pthread_create(&three, 0, increment, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    assert(old_style == 3 && new_style == 3);
    assert(atomic_load(&standard) == 3);
    return 0;
}
