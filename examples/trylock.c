// A thread that does not get the lock does something else instead of waiting. The work that
// is done in one way or the other adds up.
//
// expect: safe
// expect(deadlock): safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int done_together;
int done_alone[2];

static void work(int me) {
    if (pthread_mutex_trylock(&mutex) == 0) {
        done_together++;
        pthread_mutex_unlock(&mutex);
    } else {
        done_alone[me]++;
    }
}

void *first(void *unused) {
    work(0);
    work(0);
    return 0;
}

void *second(void *unused) {
    work(1);
    work(1);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(done_together + done_alone[0] + done_alone[1] == 4);
    return 0;
}
