#include <pthread.h>
#include <stdatomic.h>
int level;
void *raise_level(void *unused) {
    __atomic_fetch_add(&level, 1, __ATOMIC_SEQ_CST);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, raise_level, 0);
    int seen = level;
    pthread_join(t, 0);
    return seen;
}
