// An array is copied while another thread changes it.
// expect: unsafe line 17
#include <assert.h>
#include <pthread.h>
#include <string.h>
int from[2], to[2];

void *writer(void *unused) {
    from[0] = 1;
    from[1] = 1;
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    memcpy(to, from, sizeof from);
    assert(to[0] >= to[1]);
    return 0;
}
