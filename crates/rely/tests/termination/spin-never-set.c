// A loop waits for a flag that nobody sets.
// expect(termination): unsafe
// expect(fair-termination): unsafe
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *f(void *unused) {
    while (!flag) {
    }
    return 0;
}

int main(void) {
    pthread_t t0;
    pthread_create(&t0, 0, f, 0);
    pthread_join(t0, 0);
    return 0;
}
