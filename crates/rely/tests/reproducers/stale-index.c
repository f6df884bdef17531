// The index is tested, and then it is changed.
// expect: unsafe line 15
#include <pthread.h>

int buffer[4];
int position = 3;

void *advance(void *unused) {
    position = position + 1;
    return 0;
}

void *fill(void *unused) {
    if (position < 4)
        buffer[position] = 1;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, advance, 0);
    pthread_create(&two, 0, fill, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
