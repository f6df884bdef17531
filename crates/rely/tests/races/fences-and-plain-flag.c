// expect(race): unsafe
// Fences do not make a plain flag atomic.
#include <pthread.h>
#include <stdatomic.h>

int f;
int x;
int y;

static void *first(void *unused) {
    x = 5;
    atomic_thread_fence(memory_order_seq_cst);
    f = 1;
    return 0;
}

static void *second(void *unused) {
    if (f) {
        atomic_thread_fence(memory_order_seq_cst);
        y = x;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
