// expect(race): unsafe
// A signal does not say who has come first.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x;

static void *first(void *unused) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    x++;
    return 0;
}

static void *second(void *unused) {
    pthread_mutex_lock(&m);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
