// Two threads join each other.
// expect(termination): unsafe
// expect(fair-termination): unsafe
// expect(deadlock): unsafe
#include <pthread.h>
#include <stdatomic.h>

pthread_t first, second;
atomic_int both;

void *f(void *unused) {
    while (!both) {
    }
    pthread_join(second, 0);
    return 0;
}

void *g(void *unused) {
    pthread_join(first, 0);
    return 0;
}

int main(void) {
    pthread_create(&first, 0, f, 0);
    pthread_create(&second, 0, g, 0);
    both = 1;
    pthread_exit(0);
}
