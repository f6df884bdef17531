// A loop waits for a flag: nobody says that the other thread gets a turn, unless the scheduler is fair.
// expect(termination): unsafe
// expect(fair-termination): safe
// expect(deadlock): safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *f(void *unused) {
    while (!flag) {
    }
    return 0;
}

void *g(void *unused) {
    flag = 1;
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, f, 0);
    pthread_create(&t1, 0, g, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
