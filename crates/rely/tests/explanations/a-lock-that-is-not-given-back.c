#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stock = 1;
int take(void) {
    pthread_mutex_lock(&m);
    if (stock == 0)
        return -1;          /* forgot to unlock */
    stock--;
    pthread_mutex_unlock(&m);
    return 0;
}
void *customer(void *a) { take(); return 0; }
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, customer, 0);
    pthread_create(&b, 0, customer, 0);
    pthread_create(&c, 0, customer, 0);
    pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
}
