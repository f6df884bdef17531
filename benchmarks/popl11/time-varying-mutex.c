// Time-varying mutual exclusion in C (table 1, "Time varying mutex"; Flanagan, Freund and Qadeer, ESOP 2002):
// which lock protects `block` changes over time. While the inode is not allocated it is that of the
// busy bit, afterwards that of the inode.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

void reach_error(void) { assert(0); }

pthread_mutex_t m_inode = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t m_busy = PTHREAD_MUTEX_INITIALIZER;
int block;
_Bool inode, busy;

void *allocator(void *unused) {
    pthread_mutex_lock(&m_inode);
    if (!inode) {
        pthread_mutex_lock(&m_busy);
        busy = 1;
        pthread_mutex_unlock(&m_busy);
        inode = 1;
    }
    block = 1;
    if (block != 1)
        reach_error();
    pthread_mutex_unlock(&m_inode);
    return 0;
}

void *deallocator(void *unused) {
    pthread_mutex_lock(&m_busy);
    if (!busy) {
        block = 0;
        if (block != 0)
            reach_error();
    }
    pthread_mutex_unlock(&m_busy);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    inode = __VERIFIER_nondet_bool();
    busy = inode;
    pthread_create(&t1, 0, allocator, 0);
    pthread_create(&t2, 0, deallocator, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
