typedef int pthread_mutex_t;
pthread_mutex_t m;
int main(void) { return *(int *)&m; }
