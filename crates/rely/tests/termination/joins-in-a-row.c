// Each thread joins the one before.
// expect(termination): safe
// expect(fair-termination): safe
// expect(deadlock): safe
#include <pthread.h>

pthread_t first;

void *f(void *unused) {
    return 0;
}

void *g(void *unused) {
    pthread_join(first, 0);
    return 0;
}

int main(void) {
    pthread_t second;
    pthread_create(&first, 0, f, 0);
    pthread_create(&second, 0, g, 0);
    pthread_join(second, 0);
    return 0;
}
