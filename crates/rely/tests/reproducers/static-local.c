// Numbers that should be unique come from a variable that only one function knows.
// expect: unsafe line 24
#include <assert.h>
#include <pthread.h>

static int next_number(void) {
    static int last;
    last++;
    return last;
}

int numbers[2];

void *first(void *unused) { numbers[0] = next_number(); return 0; }
void *second(void *unused) { numbers[1] = next_number(); return 0; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    int a = numbers[0], b = numbers[1];
    assert(a != b);
    return 0;
}
