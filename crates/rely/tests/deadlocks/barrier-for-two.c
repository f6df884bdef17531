// Two threads meet at a barrier for two.
//
// expect(deadlock): safe
#include <pthread.h>
pthread_barrier_t barrier;

void *meet(void *argument) {
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, meet, 0);
    pthread_create(&u, 0, meet, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
