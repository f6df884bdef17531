struct point { int x, y; struct point *next; };
struct line { struct point from, to; char name[3]; } lines[2] = { { { 1, 2 }, .to = { .y = 3 }, "ab" } };
struct point head = { 1, 2, &lines[1].to };
static struct point move(struct point p, int by) { p.x += by; return p; }
int main(void) {
  struct point *p;
  struct line copy = lines[0];
  for (p = &head; p; p = p->next) {
    *p = move(*p, copy.name[1] - 'a');
    if (p->x > 3) break;
  }
  return sizeof(struct line) + (int)(unsigned long)&((struct line *)0)->to;
}
