// A lost wake-up: the consumer looks at the flag, and before it waits, the producer sets the flag and signals.
// Nobody hears that signal, and no other one will come.
//
// The mutex would prevent it, if the producer took it to set the flag. A wait may also end by itself, as POSIX
// allows, so assertions are checked with such spurious wake-ups; but a program must not need them to go on.
//
// expect: safe
// expect(deadlock): unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int delivered;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;

void *producer(void *argument) {
    delivered = 42;
    ready = 1;
    pthread_cond_signal(&arrived);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&arrived, &mutex);
    pthread_mutex_unlock(&mutex);
    assert(delivered == 42);
    pthread_join(thread, 0);
    return 0;
}
