typedef int pthread_mutex_t;
union { pthread_mutex_t m; char c[40]; } u;
int pthread_mutex_lock(pthread_mutex_t *);
int main(void) { pthread_mutex_lock(&u.m); return u.c[0]; }
