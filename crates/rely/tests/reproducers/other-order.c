// Only between the reads from left to right; gcc reads the other operand first.
// expect: unsafe line 17
#include <assert.h>
#include <pthread.h>
int x, y;

void *writer(void *unused) {
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    // Always true if `y` is read first.
    assert(x != y - 1);
    return 0;
}
