// expect(race): unsafe
// The pointers are specific to the threads, and what they point to is not.
#include <pthread.h>

pthread_key_t key;
int x;

static void *first(void *unused) {
    pthread_setspecific(key, &x);
    int *found = pthread_getspecific(key);
    *found = *found + 1;
    return 0;
}

static void *second(void *unused) {
    pthread_setspecific(key, &x);
    int *found = pthread_getspecific(key);
    *found = *found + 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
