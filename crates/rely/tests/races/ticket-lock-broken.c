// expect(race): unsafe
// The ticket is drawn in two steps.
#include <pthread.h>
#include <stdatomic.h>

atomic_int next, serving;
int x;

static void *first(void *unused) {
    int mine = atomic_load(&next);
    atomic_store(&next, mine + 1);
    while (atomic_load(&serving) != mine) { }
    x++;
    atomic_fetch_add(&serving, 1);

    return 0;
}

static void *second(void *unused) {
    int mine = atomic_load(&next);
    atomic_store(&next, mine + 1);
    while (atomic_load(&serving) != mine) { }
    x++;
    atomic_fetch_add(&serving, 1);

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
