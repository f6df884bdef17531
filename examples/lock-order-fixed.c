// Three philosophers share three forks. Everybody takes the fork with the smaller number
// first, so no circle of waiting threads can close.
//
// expect: safe
// expect(deadlock): safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t forks[3];
int meals;

static void eat(int first, int second) {
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    __sync_fetch_and_add(&meals, 1);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
}

void *plato(void *unused) {
    eat(0, 1);
    return 0;
}

void *hypatia(void *unused) {
    eat(1, 2);
    return 0;
}

void *aspasia(void *unused) {
    eat(0, 2); // not (2, 0)
    return 0;
}

int main(void) {
    pthread_t one, two, three;
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&forks[i], 0);
    pthread_create(&one, 0, plato, 0);
    pthread_create(&two, 0, hypatia, 0);
    pthread_create(&three, 0, aspasia, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    assert(meals == 3);
    return 0;
}
