// The writer comes between the two reads of a condition.
// expect: unsafe line 16
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
    assert(x >= y);
    return 0;
}
