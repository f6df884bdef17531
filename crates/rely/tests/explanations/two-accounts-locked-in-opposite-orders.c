#include <pthread.h>
#include <assert.h>
typedef struct { int balance; pthread_mutex_t m; } account;
account a = { 100, PTHREAD_MUTEX_INITIALIZER }, b = { 100, PTHREAD_MUTEX_INITIALIZER };
void transfer(account *from, account *to, int amount) {
    pthread_mutex_lock(&from->m);
    pthread_mutex_lock(&to->m);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->m);
    pthread_mutex_unlock(&from->m);
}
void *t1(void *x) { transfer(&a, &b, 10); return 0; }
void *t2(void *x) { transfer(&b, &a, 20); return 0; }
int main() {
    pthread_t x, y;
    pthread_create(&x, 0, t1, 0);
    pthread_create(&y, 0, t2, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    assert(a.balance + b.balance == 200);
}
