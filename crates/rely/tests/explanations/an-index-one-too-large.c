#include <pthread.h>
#define N 4
int result[N];
void *square(void *a) { long i = (long)a; result[i] = i * i; return 0; }
int main(void) { pthread_t t[N + 1]; for (long i = 0; i <= N; i++) pthread_create(&t[i], 0, square, (void *)i); for (int i = 0; i <= N; i++) pthread_join(t[i], 0); }
