// expect(race): safe
// Each thread finds what it has put there itself.
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;

static void *first(void *unused) {
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    pthread_setspecific(key, mine);
    int *found = pthread_getspecific(key);
    *found = *found + 1;
    free(mine);
    return 0;
}

static void *second(void *unused) {
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    pthread_setspecific(key, mine);
    int *found = pthread_getspecific(key);
    *found = *found + 1;
    free(mine);
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
