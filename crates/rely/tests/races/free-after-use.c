// expect(race): safe
// The memory is freed when nobody uses it any more.
#include <pthread.h>
#include <stdlib.h>

struct message { int number; int parts[3]; } *message;
int seen;

static void *reader(void *unused) {
    seen = message->parts[1];
    return 0;
}

int main(void) {
    pthread_t thread;
    message = calloc(1, sizeof *message);
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    free(message);
    return 0;
}
