typedef union { char c[32]; } pthread_barrier_t; pthread_barrier_t b; int pthread_barrier_wait(pthread_barrier_t *);
int main(void) { return pthread_barrier_wait(&b); }
