// expect: safe
// Readers and a writer: whoever reads sees both balances before a transfer or both after it. While somebody reads, others
// may read, too; nobody writes. `rely show --blocks` shows that each section is one step.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int checking = 50, savings = 50;

void *transfer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    checking = checking - 20;
    savings = savings + 20;
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *audit(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int sum = checking;
    sum = sum + savings;
    pthread_rwlock_unlock(&lock);
    assert(sum == 100);
    return 0;
}

int main(void)
{
    pthread_t writer, first, second;
    pthread_create(&writer, 0, transfer, 0);
    pthread_create(&first, 0, audit, 0);
    pthread_create(&second, 0, audit, 0);
    pthread_join(writer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
