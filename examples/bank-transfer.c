// Money moves between two accounts while an auditor adds them up. Transfers hold both locks,
// and so does the auditor: the sum never changes. Structs, and pointers to them as parameters.
//
// expect: safe
// expect(deadlock): safe
#include <assert.h>
#include <pthread.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

struct account savings = {100, PTHREAD_MUTEX_INITIALIZER};
struct account checking = {50, PTHREAD_MUTEX_INITIALIZER};

static void move(struct account *from, struct account *to, int amount) {
    // The order of the locks does not depend on the direction of the transfer.
    pthread_mutex_lock(&savings.lock);
    pthread_mutex_lock(&checking.lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
    }
    pthread_mutex_unlock(&checking.lock);
    pthread_mutex_unlock(&savings.lock);
}

void *withdraw(void *unused) {
    move(&savings, &checking, 70);
    move(&savings, &checking, 70); // not enough left: nothing happens
    return 0;
}

void *deposit(void *unused) {
    move(&checking, &savings, 30);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, withdraw, 0);
    pthread_create(&two, 0, deposit, 0);

    pthread_mutex_lock(&savings.lock);
    pthread_mutex_lock(&checking.lock);
    assert(savings.balance + checking.balance == 150);
    pthread_mutex_unlock(&checking.lock);
    pthread_mutex_unlock(&savings.lock);

    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(savings.balance >= 0 && checking.balance >= 0);
    return 0;
}
