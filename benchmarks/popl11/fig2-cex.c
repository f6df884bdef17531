// An order violation from Mozilla in C (table 1, "Fig2-cex"; Lu, Park, Seo and Zhou, ASPLOS 2008, Fig. 2).
// A thread is created and reads the state behind its own handle, which its creator stores only after
// the creation has returned: nothing makes the new thread wait for that.
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

void *created(void *unused) {
    struct worker *mine = handle;
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
    handle = create_thread(&thread);
    pthread_join(thread, 0);
    return 0;
}
