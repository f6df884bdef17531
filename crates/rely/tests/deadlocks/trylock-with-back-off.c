// Who does not get the second lock gives back the first: a livelock is no deadlock.
//
// expect(deadlock): safe
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *climb(void *argument) {
    while (1) {
        pthread_mutex_lock(&a);
        if (pthread_mutex_trylock(&b) == 0)
            break;
        pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *descend(void *argument) {
    while (1) {
        pthread_mutex_lock(&b);
        if (pthread_mutex_trylock(&a) == 0)
            break;
        pthread_mutex_unlock(&b);
    }
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, climb, 0);
    pthread_create(&u, 0, descend, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
