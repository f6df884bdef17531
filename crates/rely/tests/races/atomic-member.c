// expect(race): safe
// An atomic member beside a plain one that only main uses.
#include <pthread.h>
#include <stdatomic.h>

struct {
    atomic_int counter;
    int plain;
} s;

static void *worker(void *unused) {
    s.counter++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    s.plain = 1;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    s.plain = 2;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return s.plain + s.counter;
}
