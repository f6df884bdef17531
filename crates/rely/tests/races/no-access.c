// expect(race): safe
// The size and the address of a variable are no accesses.
#include <pthread.h>

int x;
unsigned long size;
int *where;

static void *first(void *unused) {
    x = 1;
    return 0;
}

static void *second(void *unused) {
    size = sizeof(x);
    where = &x;
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
