// A slot is marked as full before it is filled.
// expect: unsafe line 24
#include <assert.h>
#include <pthread.h>

struct slot { int full; int value; };
struct slot slots[2];

void *producer(void *unused) {
    for (int index = 0; index < 2; index++) {
        slots[index].full = 1;
        slots[index].value = index + 10;
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int index = 0; index < 2; index++) {
        if (!slots[index].full)
            break;
        int value = slots[index].value;
        assert(value == index + 10);
    }
    pthread_join(thread, 0);
    return 0;
}
