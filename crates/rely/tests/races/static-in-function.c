// expect(race): unsafe
// A static variable of a function is one for all threads.
#include <pthread.h>

static int next(void) {
    static int number;
    return number++;
}

static void *first(void *unused) {
    next();
    return 0;
}

static void *second(void *unused) {
    next();
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
