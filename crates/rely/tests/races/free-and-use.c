// expect(race): unsafe
// To free memory is to modify it.
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
    free(message);
    pthread_join(thread, 0);
    return 0;
}
