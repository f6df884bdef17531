#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;
void add(int n) {
    pthread_mutex_lock(&m);
    total += n;
    pthread_mutex_unlock(&m);
}
void *work(void *unused) {
    pthread_mutex_lock(&m);
    if (total < 10)
        add(1);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
}
