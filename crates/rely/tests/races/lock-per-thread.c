// expect(race): unsafe
// Each thread has a lock of its own, and two share an element.
#include <pthread.h>

pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                            PTHREAD_MUTEX_INITIALIZER};
int numbers[4] = {0, 1, 2, 3};
int data[2];

static void *worker(void *argument) {
    int own = *(int *)argument;
    pthread_mutex_lock(&locks[own]);
    data[own % 2]++;
    pthread_mutex_unlock(&locks[own]);
    return 0;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], 0, worker, &numbers[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], 0);
    }
    return 0;
}
