#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct config { int port; };
static struct config *instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct config *get(void) {
    if (instance == NULL) {
        pthread_mutex_lock(&lock);
        if (instance == NULL) {
            instance = malloc(sizeof *instance);
            instance->port = 8080;
        }
        pthread_mutex_unlock(&lock);
    }
    return instance;
}
void *user(void *a) { assert(get()->port == 8080); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, user, 0); pthread_create(&b, 0, user, 0); pthread_join(a, 0); pthread_join(b, 0); }
