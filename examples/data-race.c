// A data race: the balance is read outside of the lock that protects it elsewhere.
// expect: safe
// expect(race): unsafe line 19
#include <pthread.h>

int balance = 10;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *unused) {
    pthread_mutex_lock(&lock);
    balance += 5;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, deposit, 0);
    int shown = balance; // while the deposit may be made
    pthread_join(thread, 0);
    return shown;
}
