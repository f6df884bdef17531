#include <pthread.h>
#include <assert.h>
#define LOCK(l) do { pthread_mutex_lock(&(l)); } while (0)
#define UNLOCK(l) do { pthread_mutex_unlock(&(l)); } while (0)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CHECK(c) do { if (!(c)) { assert(0); } } while (0)
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int best;
void *up(void *x) { LOCK(a); best = MAX(best, 3); UNLOCK(a); return 0; }
void *down(void *x) { LOCK(b); best = MAX(best, 5); UNLOCK(b); return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, up, 0); pthread_create(&t, 0, down, 0); pthread_join(s, 0); pthread_join(t, 0); CHECK(best == 5); }
