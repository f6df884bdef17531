#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int cache, valid;
int lookup(void) {
    pthread_rwlock_rdlock(&l);
    if (!valid) {
        pthread_rwlock_wrlock(&l);   /* upgrade: deadlocks with itself */
        cache = 42; valid = 1;
        pthread_rwlock_unlock(&l);
    }
    int r = cache;
    pthread_rwlock_unlock(&l);
    return r;
}
void *t(void *a) { lookup(); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); }
