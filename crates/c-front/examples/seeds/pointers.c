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
struct node { struct node *next; int v[2]; } *list, none;
struct node *push(struct node *rest, int v) {
  struct node *n = malloc(sizeof *n);
  *n = (struct node) { rest, { v, a[v] } };
  return n;
}
int main(int argc, char **argv) {
  pthread_t t;
  void *r;
  int i = 0, local = 2;
  table[0] = one;
  table[1] = two;
  list = push(push(&none, 1), argc > 1 ? atoi(argv[1]) : 2);
  list->next->v[i] = *(int *)((char *)list + 8) + (&list->v[2])[-1];
  free(list);
  pthread_create(&t, 0, f, &local);
  for (p = a; p < a + 4; p++) *p = table[i++ & 1](i);
  pthread_join(t, &r);
  return *(int *)r;
}
