// expect(race): unsafe
// A function that returns a structure reads all of it.
#include <pthread.h>

struct pair {
    int first, second;
} s;
int x;

static struct pair get(void) {
    return s;
}

static void *first(void *unused) {
    s.second = 1;
    return 0;
}

static void *second(void *unused) {
    struct pair copy = get();
    x = copy.first;
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
