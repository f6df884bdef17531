// A failed assertion ends no run here: with NDEBUG there is none.
//
// expect(deadlock): unsafe
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int limit;

int main(void) {
    assert(limit > 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
