#include <stdlib.h>
#include <pthread.h>
char *shared;
void *cleanup(void *x) { if (shared) { free(shared); shared = 0; } return 0; }
int main(void) {
    pthread_t a, b;
    shared = malloc(16);
    pthread_create(&a, 0, cleanup, 0);
    pthread_create(&b, 0, cleanup, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}
