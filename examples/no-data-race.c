// No data race: values are handed over by an atomic flag, and counted under a lock.
// expect: safe
// expect(race): safe
#include <pthread.h>
#include <stdatomic.h>

int value, received;
atomic_int ready;
int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sender(void *unused) {
    value = 42; // nobody looks before the flag is set
    atomic_store(&ready, 1);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *receiver(void *unused) {
    if (atomic_load(&ready)) received = value;
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, sender, 0);
    pthread_create(&second, 0, receiver, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return count; // both have ended
}
