// expect(race): unsafe
// The accesses stand in functions that the threads call.
#include <pthread.h>

int hits;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void add(int amount) {
    hits = amount;
}

static void add_carefully(int amount) {
    pthread_mutex_lock(&m);
    add(amount);
    pthread_mutex_unlock(&m);
}

static void *careful(void *unused) {
    add_carefully(2);
    return 0;
}

static void *hasty(void *unused) {
    add(1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, careful, 0);
    pthread_create(&b, 0, hasty, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
