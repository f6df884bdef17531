typedef union { char c[40]; } pthread_mutex_t;
pthread_mutex_t m = { .c = { 0 } };
int main(void) { pthread_mutex_lock(&m); }
