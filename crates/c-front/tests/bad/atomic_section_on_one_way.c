int x; int main(void) {
  if (x)
    __VERIFIER_atomic_begin();
  x = 1;
  return 0;
}
