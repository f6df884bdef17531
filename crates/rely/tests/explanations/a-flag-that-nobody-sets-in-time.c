#include <pthread.h>
#include <stdatomic.h>
atomic_int stop;
void *work(void *unused) {
    while (!stop)
        ;
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    stop = 1;
}
