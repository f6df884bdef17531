#include <pthread.h>
#include <stdio.h>
#define N 3
int hits = 0;
void *visit(void *arg) {
    for (int i = 0; i < 2; i++)
        hits++;
    return NULL;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, visit, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", hits);
    return 0;
}
