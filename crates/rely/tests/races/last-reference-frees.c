// expect(race): safe
// Who drops the last reference frees the memory.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared { atomic_int references; int value; } *shared;

static void drop(void) {
    if (atomic_fetch_sub(&shared->references, 1) == 1) {
        shared->value = 0;
        free(shared);
    }
}

static void *user(void *unused) {
    drop();
    return 0;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    atomic_init(&shared->references, 2);
    shared->value = 1;
    pthread_create(&thread, 0, user, 0);
    drop();
    pthread_join(thread, 0);
    return 0;
}
