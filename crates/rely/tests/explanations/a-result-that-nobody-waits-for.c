#include <pthread.h>
#include <assert.h>
int result;
void *compute(void *a) { result = 42; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, compute, 0); assert(result == 42); return 0; }
