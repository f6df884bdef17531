// Initialisation at the first use, with a check outside of the lock to save time. The flag is
// set before the value is ready, so a second thread may skip the lock and use the value too
// early. This goes wrong even on a machine that does not reorder anything.
//
// expect: unsafe line 28
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
_Bool initialised;
int value;

static int get(void) {
    if (!initialised) {
        pthread_mutex_lock(&mutex);
        if (!initialised) {
            initialised = 1;
            value = 42; // too late
        }
        pthread_mutex_unlock(&mutex);
    }
    return value;
}

void *user(void *unused) {
    int mine = get();
    // Fails for the thread that comes between the two assignments above.
    assert(mine == 42);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, user, 0);
    pthread_create(&two, 0, user, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
// expect(race): unsafe line 17
