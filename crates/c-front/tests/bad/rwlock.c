typedef union { char c[56]; } pthread_rwlock_t; pthread_rwlock_t l; int pthread_rwlock_rdlock(pthread_rwlock_t *);
int main(void) { return pthread_rwlock_rdlock(&l); }
