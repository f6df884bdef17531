typedef unsigned long pthread_t;
int x, y;
void *f(void *p) { return &x; }
void *g(void *p) { return &y; }
int main(void) {
  pthread_t t[2];
  void *r;
  pthread_create(&t[0], 0, f, 0);
  pthread_create(&t[1], 0, g, 0);
  pthread_join(t[0], &r);
  return r == &x;
}
