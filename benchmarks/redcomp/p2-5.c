// P2-5 of "Reduction for compositional verification of multi-threaded programs" (table I, figure 1): two
// variables, each with a lock of its own, and 5 statements in each critical section.
// The third thread accesses `y` once without the lock.
//
// `x` can be 27 in the end only if the second thread comes in between of the first one.
#include <assert.h>
#include <pthread.h>

int x = 2, y = 2;
pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER, my = PTHREAD_MUTEX_INITIALIZER;

void *thread1(void *unused) {
    int a;
    pthread_mutex_lock(&mx);
    a = x;
    pthread_mutex_lock(&my);
    y = y + a;
    y = y + a;
    y = y + a;
    y = y + a;
    y = y + a;
    pthread_mutex_unlock(&my);
    a = a + 1;
    pthread_mutex_lock(&my);
    y = y + a;
    y = y + a;
    y = y + a;
    y = y + a;
    y = y + a;
    pthread_mutex_unlock(&my);
    x = 2 * x + a;
    pthread_mutex_unlock(&mx);
    return 0;
}

void *thread2(void *unused) {
    pthread_mutex_lock(&mx);
    x = x + 2;
    x = x + 2;
    x = x + 2;
    x = x + 2;
    x = x + 2;
    pthread_mutex_unlock(&mx);
    return 0;
}

void *thread3(void *unused) {
    pthread_mutex_lock(&my);
    y = y + 2;
    y = y + 2;
    y = y + 2;
    y = y + 2;
    y = y + 2;
    pthread_mutex_unlock(&my);
    y = y + 2;
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(x != 27);
    return 0;
}
