typedef unsigned long pthread_t;
int x, y, a[4], *p = &x, **q = &p;
void *f(void *arg) {
  int *mine = arg;
  while (*mine < 3) {
    *mine += 1;
    p = mine ? &a[*mine % 4] : &y;
    **q = *p++;
  }
  return arg;
}
int (*table[2])(int);
int one(int v) { return v + 1; }
int two(int v) { return one(v) + 1; }
int main(void) {
  pthread_t t;
  void *r;
  int i = 0, local = 2;
  table[0] = one;
  table[1] = two;
  pthread_create(&t, 0, f, &local);
  for (p = a; p < a + 4; p++) *p = table[i++ & 1](i);
  pthread_join(t, &r);
  return *(int *)r;
}
