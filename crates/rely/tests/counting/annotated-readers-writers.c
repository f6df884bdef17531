// expect: safe
// Readers among themselves or one writer, of any number of both.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

//@rely never #(reader at reading) >= 1 && writer at writing
//@rely never #(writer at writing) >= 2

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
reading:
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *writer(void *unused) {
    pthread_rwlock_wrlock(&lock);
writing:
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, reader, 0);
        pthread_create(&t, 0, writer, 0);
    }
}
