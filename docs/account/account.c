// The account of `teller.c`: a library without a `main`, whose structure nobody else knows.
#include "account.h"

#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static int lock(struct account *account) { return pthread_mutex_lock(&account->mutex); }
static int unlock(struct account *account) { return pthread_mutex_unlock(&account->mutex); }

struct account *open_account(int balance) {
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->mutex, NULL);
    account->balance = balance;
    return account;
}

int balance_of(struct account *account) {
    lock(account);
    int balance = account->balance;
    unlock(account);
    return balance;
}

int withdraw(struct account *account, int amount) {
#ifdef HASTY
    // Somebody else may withdraw between the two.
    if (balance_of(account) < amount) return 0;
    lock(account);
#else
    lock(account);
    if (account->balance < amount) {
        unlock(account);
        return 0;
    }
#endif
    account->balance -= amount;
    unlock(account);
    return amount;
}
