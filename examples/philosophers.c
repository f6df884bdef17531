// Five philosophers, each of whom takes the fork to the left and then the one to the right. If all of them have taken
// the first, each waits for a neighbour.
//
// expect: safe
// expect(deadlock): unsafe

#include <pthread.h>

#define N 5

pthread_mutex_t fork_[N];

void *philosopher(void *seat) {
    long i = (long)seat;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % N]);
    /* eats */
    pthread_mutex_unlock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[i]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
