typedef unsigned long pthread_t; int *p;
void *f(void *a) { int mine = 0; p = &mine; *p = 1; return 0; }
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }
