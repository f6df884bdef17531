#include <limits.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance = INT_MAX - 1;
void *pay_in(void *unused) {
    pthread_mutex_lock(&m);
    balance = balance + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, pay_in, 0);
    pthread_create(&b, 0, pay_in, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
