// One thread raises a number and the other one lowers it, for ever if they take turns.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

void *f(void *unused) {
    while (x > -2) {
        x--;
    }
    return 0;
}

void *g(void *unused) {
    while (x < 2) {
        x++;
    }
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
