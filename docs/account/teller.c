// Two tellers withdraw from one account at the same time.
#include "account.h"

#include <assert.h>
#include <pthread.h>

static struct account *account;

static void *teller(void *unused) {
    withdraw(account, 60);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    account = open_account(100);
    pthread_create(&one, NULL, teller, NULL);
    pthread_create(&two, NULL, teller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(balance_of(account) >= 0);
    return 0;
}
