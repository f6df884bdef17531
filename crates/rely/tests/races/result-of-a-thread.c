// expect(race): unsafe
// The result of a thread is stored where another thread writes, too.
#include <pthread.h>

void *result;

static void *first(void *unused) {
    return 0;
}

static void *second(void *unused) {
    result = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, &result);
    pthread_join(b, 0);
    return 0;
}
