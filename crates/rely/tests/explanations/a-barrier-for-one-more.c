#include <pthread.h>
#include <assert.h>
pthread_barrier_t b;
int x[2];
void *w(void *a) { int i = (int)(long)a; x[i] = i + 1; pthread_barrier_wait(&b); assert(x[1 - i] == 2 - i); return 0; }
int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&b, 0, 3);    /* one too many */
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, w, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
