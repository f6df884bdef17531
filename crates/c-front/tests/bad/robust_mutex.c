typedef union { char c[40]; } pthread_mutex_t;
pthread_mutex_t m = { { 0, 0, 0, 0, 1 | 16 } };
int main(void) { pthread_mutex_lock(&m); }
