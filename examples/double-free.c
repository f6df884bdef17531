// Two workers share a buffer, and whoever is done last is to free it. But each looks at the counter after it has given up
// its own share, so both can find that nobody is left, and both free the buffer.
//
// expect: safe
// expect(memory): unsafe line 18
#include <pthread.h>
#include <stdlib.h>

int *buffer;
int users = 2;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    users--;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (users == 0) free(buffer);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t one, two;
    buffer = malloc(sizeof *buffer);
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
