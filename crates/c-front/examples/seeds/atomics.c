_Atomic int k;
_Atomic unsigned char small;
_Bool flag;
long big = 1L << 40;
int main(void) {
  int e = 0;
  k++; k += 2; k = k - 1; small--; small ^= 3;
  while (__atomic_test_and_set(&flag, 5)) ;
  __atomic_clear(&flag, 5);
  if (__atomic_compare_exchange_n(&k, &e, 7, 0, 5, 5) || e == __sync_val_compare_and_swap(&k, e, 4))
    __sync_fetch_and_or(&big, 6);
  big = __atomic_exchange_n(&big, 2, 5) % (k ? k : 1) + (short)big / 3 - (big << 2 >> 1);
  __sync_synchronize();
  return ({ __auto_type v = &big; __atomic_load_n(v, 0); }) != -5;
}
