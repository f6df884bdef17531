#include <pthread.h>
void *work(void *unused) { return 0; }
void stop(pthread_t thread) {
    pthread_join(thread, 0);
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    stop(a);
    pthread_join(a, 0);
}
