// expect(race): unsafe
// Whether there was a permit is ignored.
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int x;

static void *first(void *unused) {
    x = 1;
    sem_post(&s);
    return 0;
}

static void *second(void *unused) {
    sem_trywait(&s);
    x = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
