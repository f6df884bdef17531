// expect(race): unsafe
// Peterson's algorithm with plain variables: they race themselves.
#include <pthread.h>

int wants0, wants1, turn;
int x;

static void *first(void *unused) {
    wants0 = 1;
    turn = 1;
    while (wants1 && turn == 1) { }
    x++;
    wants0 = 0;

    return 0;
}

static void *second(void *unused) {
    wants1 = 1;
    turn = 0;
    while (wants0 && turn == 0) { }
    x++;
    wants1 = 0;

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
