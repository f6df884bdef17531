#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *left(void *unused) {
    pthread_mutex_lock(&a);
    while (pthread_mutex_trylock(&b) != 0) {
        pthread_mutex_unlock(&a);
        pthread_mutex_lock(&a);
    }
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}
void *right(void *unused) {
    pthread_mutex_lock(&b);
    while (pthread_mutex_trylock(&a) != 0) {
        pthread_mutex_unlock(&b);
        pthread_mutex_lock(&b);
    }
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}
int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, left, 0);
    pthread_create(&y, 0, right, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
}
