// A structure is copied member by member, and read in between: gcc copies it at once.
// expect: unsafe line 17
#include <assert.h>
#include <pthread.h>

struct pair { int low, high; } shared;

void *writer(void *unused) {
    struct pair next = {1, 1};
    shared = next;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    assert(shared.low <= shared.high);
    return 0;
}
