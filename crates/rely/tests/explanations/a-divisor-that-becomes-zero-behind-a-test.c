#include <pthread.h>
#include <stdatomic.h>
atomic_int parts = 1, share;
void *reset(void *unused) {
    parts = 0;
    return 0;
}
void *divide(void *unused) {
    if (parts != 0)
        share = 100 / parts;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reset, 0);
    pthread_create(&b, 0, divide, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
