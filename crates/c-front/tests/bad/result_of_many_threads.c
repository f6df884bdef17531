typedef unsigned long pthread_t; void *f(void *a) { return a; }
int main(void) { pthread_t t; void *r; for (long i = 0; i < 3; i++) pthread_create(&t, 0, f, (void *)i);
  pthread_join(t, &r); return r != 0; }
