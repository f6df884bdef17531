#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int seats = 1, sold;
void *sell(void *unused) {
    pthread_mutex_lock(&m);
    int left = seats;
    pthread_mutex_unlock(&m);
    if (left > 0) {
        pthread_mutex_lock(&m);
        seats--;
        sold++;
        assert(sold <= 1);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sell, 0);
    pthread_create(&b, 0, sell, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
