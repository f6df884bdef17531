// The two halves of a pair are read between the two atomic blocks that change them.
// expect: unsafe line 20
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

struct { int low, high; } pair;

void *writer(void *unused) {
    __VERIFIER_atomic_begin(); pair.low = 1; pair.low = pair.low + 1; __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin(); pair.high = 1; pair.high = pair.high + 1; __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    __VERIFIER_atomic_begin(); int low = pair.low, high = pair.high; __VERIFIER_atomic_end();
    assert(low == high);
    return 0;
}
