// A server counts requests for ever, and the main program waits for it.
// expect(termination): unsafe
// expect(fair-termination): unsafe
#include <pthread.h>
#include <stdatomic.h>

atomic_uint served;

void *server(void *unused) {
    for (;;)
        served++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, server, 0);
    pthread_join(thread, 0);
    return 0;
}
