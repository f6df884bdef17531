// expect(race): unsafe
// What is initialized once is not protected behind that.
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int x;

static void initialize(void) {
    x = 1;
}

static void *first(void *unused) {
    pthread_once(&once, initialize);
    x++;
    return 0;
}

static void *second(void *unused) {
    pthread_once(&once, initialize);
    x++;
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
