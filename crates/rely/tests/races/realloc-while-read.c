// expect(race): unsafe
// Memory is allocated anew while another thread reads it.
#include <pthread.h>
#include <stdlib.h>

int *p;
int x;

static void *first(void *unused) {
    int *moved = realloc(p, 64);
    (void)moved;
    return 0;
}

static void *second(void *unused) {
    x = *p;
    return 0;
}

int main(void) {
    pthread_t a, b;
    p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
