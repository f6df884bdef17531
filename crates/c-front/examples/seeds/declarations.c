enum color { RED, GREEN = RED + 4, BLUE };
typedef enum color color;
typedef struct { color c; union { int a; char b; } *u; } thing;
extern int outside;
static const int N = sizeof(thing) / 4, M[] = { [2] = 1, 2, [0 ... 1] = BLUE };
int matrix[2][N - 2], z = N;
int z;
const char *text = "a\tb" "c\x41";
unsigned long long big = 0xffffffffffffffffull;
int old(a, b) int a; char b; { return a - b; }
int apply(int (*g)(int, char), int v[3]) { return g(v[0], 'c') + _Generic(v, int *: 1, default: 2); }
int main(void) {
  int v[3] = { N, M[3] }, w = old(3, 'x');
  thing t = { .c = GREEN };
  register volatile int r = (int[]){ 1, 2 }[1];
  matrix[1][t.c - 4] = apply(old, v) + text[1] + w;
  return matrix[1][0] ? r : z;
}
