#include <pthread.h>
#include <stdio.h>
void *hello(void *p) { int id = *(int *)p; printf("hello %d\n", id); return 0; }
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, hello, &i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}
