int x;
int __VERIFIER_nondet_int(void);
unsigned next(unsigned u) { static unsigned seed = 5; if (u) return seed; seed = seed * 7u + 3u; return seed ^ u; }
int main(int argc, char **argv) {
  int i = 0, n = argc;
again:
  do {
    switch (__VERIFIER_nondet_int()) {
    case 0: x = -x; break;
    case 1 ... 3: if (i++ > 2) goto out; else continue;
    case 'a': { int x = i ? 4 : i; n = x, n++; }
    default: x = next(x) % 5 ? !x : ~x; break;
    }
    for (int j = 0; j < 3 && x || !n; j++) { if (j == x) break; if (n-- < 0) goto again; }
  } while (i < 10);
out:
  __VERIFIER_assert(x < 100 || i == 3);
  return x;
}
