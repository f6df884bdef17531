typedef int pthread_mutex_t, pthread_mutexattr_t; int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int main(void) { pthread_mutexattr_t a; pthread_mutexattr_setrobust(&a, 1); return 0; }
