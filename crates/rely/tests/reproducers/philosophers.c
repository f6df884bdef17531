// Each takes the fork on the left, and waits for the one on the right; main has ended.
// expect(deadlock): unsafe
#include <pthread.h>
pthread_mutex_t forks[3];

void *philosopher(void *number) {
    long left = (long)number, right = (left + 1) % 3;
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, philosopher, (void *)0);
    pthread_create(&threads[1], 0, philosopher, (void *)1);
    pthread_create(&threads[2], 0, philosopher, (void *)2);
    pthread_exit(0);
}
