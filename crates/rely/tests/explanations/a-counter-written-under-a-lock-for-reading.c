#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int table[2] = {1, 2}, hits;
void *find(void *unused) {
    pthread_rwlock_rdlock(&l);
    if (table[0] == 1)
        hits++;
    pthread_rwlock_unlock(&l);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, find, 0);
    pthread_create(&b, 0, find, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
