// Dining philosophers without an order on the forks: all of them can hold one fork and wait for the other one.
#include <pthread.h>

#define MEALS 100

pthread_mutex_t fork0 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t fork1 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t fork2 = PTHREAD_MUTEX_INITIALIZER;

void *first(void *unused) {
    for (int meal = 0; meal < MEALS; meal++) {
        pthread_mutex_lock(&fork0);
        pthread_mutex_lock(&fork1);
        pthread_mutex_unlock(&fork1);
        pthread_mutex_unlock(&fork0);
    }
    return 0;
}

void *second(void *unused) {
    for (int meal = 0; meal < MEALS; meal++) {
        pthread_mutex_lock(&fork1);
        pthread_mutex_lock(&fork2);
        pthread_mutex_unlock(&fork2);
        pthread_mutex_unlock(&fork1);
    }
    return 0;
}

void *third(void *unused) {
    for (int meal = 0; meal < MEALS; meal++) {
        pthread_mutex_lock(&fork2);
        pthread_mutex_lock(&fork0);
        pthread_mutex_unlock(&fork0);
        pthread_mutex_unlock(&fork2);
    }
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
