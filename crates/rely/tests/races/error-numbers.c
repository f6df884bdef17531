// expect(race): safe
// Each thread has its own error number.
#include <pthread.h>
#include <errno.h>


static void *first(void *unused) {
    errno = 1;
    return 0;
}

static void *second(void *unused) {
    errno = 2;
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
