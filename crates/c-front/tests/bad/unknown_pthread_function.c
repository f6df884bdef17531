int pthread_cancel(unsigned long); int main(void) { return pthread_cancel(1); }
