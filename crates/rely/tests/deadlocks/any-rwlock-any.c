// Any number of rounds of reading and writing.
// expect(deadlock): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int n, page;

void *reader(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_rwlock_rdlock(&l);
        int seen = page;
        (void)seen;
        pthread_rwlock_unlock(&l);
    }
    return 0;
}

void *writer(void *unused) {
    for (int i = 0; i < n; i++) {
        pthread_rwlock_wrlock(&l);
        page = 1;
        pthread_rwlock_unlock(&l);
    }
    return 0;
}

int main(void) {
    n = __VERIFIER_nondet_int();
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, reader, 0);
    pthread_create(&t1, 0, reader, 0);
    pthread_create(&t2, 0, writer, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
