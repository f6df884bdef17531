// The shared state and its lock live in the frame of `main`.
// expect: unsafe line 30
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

void *withdraw(void *data) {
    struct account *account = data;
    pthread_mutex_lock(&account->mutex);
    int seen = account->balance;
    pthread_mutex_unlock(&account->mutex);
    pthread_mutex_lock(&account->mutex);
    account->balance = seen - 10;
    pthread_mutex_unlock(&account->mutex);
    return 0;
}

int main(void) {
    struct account account = {PTHREAD_MUTEX_INITIALIZER, 20};
    pthread_t one, two;
    pthread_create(&one, 0, withdraw, &account);
    pthread_create(&two, 0, withdraw, &account);
    pthread_join(one, 0);
    pthread_join(two, 0);
    // Fails: what was seen may be old.
    assert(account.balance == 0);
    return 0;
}
