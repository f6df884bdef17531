#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int locked, inside;
void *work(void *unused) {
    while (locked)
        ;
    locked = 1;
    inside++;
    assert(inside == 1);
    inside--;
    locked = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
