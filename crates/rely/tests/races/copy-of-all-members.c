// expect(race): unsafe
// A copy writes all members.
#include <pthread.h>
#include <string.h>

struct {
    int first, second;
} s, t;

static void *first(void *unused) {
    memcpy(&s, &t, sizeof s);
    return 0;
}

static void *second(void *unused) {
    s.second = 1;
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
