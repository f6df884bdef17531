#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
atomic_int flag[2]; atomic_int turn; int in_cs;
void *p0(void *_) { turn = 1; flag[0] = 1; while (flag[1] && turn == 1) ; in_cs++; assert(in_cs == 1); in_cs--; flag[0] = 0; return 0; }
void *p1(void *_) { turn = 0; flag[1] = 1; while (flag[0] && turn == 0) ; in_cs++; assert(in_cs == 1); in_cs--; flag[1] = 0; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, p0, 0); pthread_create(&b, 0, p1, 0); pthread_join(a, 0); pthread_join(b, 0); }
