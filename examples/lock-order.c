// Two locks taken in two orders. Each thread can hold one and wait for the other forever.
// No assertion fails: the only mistake is that the program can deadlock.
//
// expect: safe
// expect(deadlock): unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
int visits;

void *left_first(void *unused) {
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    visits++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return 0;
}

void *right_first(void *unused) {
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    visits++;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left_first, 0);
    pthread_create(&two, 0, right_first, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(visits == 2);
    return 0;
}
