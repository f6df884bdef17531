typedef unsigned long pthread_t; int main(void) { pthread_t t; pthread_create(&t, 0, main, 0); return 0; }
