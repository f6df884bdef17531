typedef unsigned long pthread_t;
typedef union { char c[40]; } pthread_mutex_t;
typedef union { char c[48]; } pthread_cond_t;
pthread_mutex_t m, locks[2];
pthread_cond_t c;
__thread int mine;
int ready, count;
void __VERIFIER_atomic_take(int *l) { __VERIFIER_assume(*l == 0); *l = 1; }
void *worker(void *arg) {
  int id = (int)(long)arg;
  pthread_mutex_lock(&locks[id]);
  while (!ready) pthread_cond_wait(&c, &m);
  if (pthread_mutex_trylock(&m) == 0) { mine++; pthread_mutex_unlock(&m); }
  pthread_mutex_unlock(&locks[id & 1]);
  __VERIFIER_atomic_begin(); count++; __VERIFIER_atomic_end();
  pthread_exit(0);
}
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)i);
  __VERIFIER_atomic_take(&ready);
  pthread_cond_broadcast(&c);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  if (count != 2) { ERROR: __VERIFIER_error(); }
  return 0;
}
