// The repair of `fig2-cex.c` (table 1, "Fig2-fixed"): creator and created thread take a lock, and the created
// thread waits until the handle has been stored.
#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

struct worker {
    int state;
};

struct worker the_worker = {1};
// The handle, which the creator stores when the creation has returned.
struct worker *handle = 0;
int seen_state;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *created(void *unused) {
    struct worker *mine;
    pthread_mutex_lock(&lock);
    mine = handle;
    while (mine == 0) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        mine = handle;
    }
    pthread_mutex_unlock(&lock);
    mine = handle;
    if (mine == 0)
        reach_error();
    seen_state = mine->state;
    return 0;
}

// Creates the thread and tells its handle.
static struct worker *create_thread(pthread_t *thread) {
    pthread_create(thread, 0, created, 0);
    return &the_worker;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    handle = create_thread(&thread);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
