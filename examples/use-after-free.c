// Two threads share a message. Whoever is done with it last should free it, but the count of users is
// read after the lock is given back: both threads may find that they are the last one.
// expect(race): unsafe
// expect: safe
// expect(memory): unsafe line 22
#include <pthread.h>
#include <stdlib.h>

struct message {
    _Atomic int users;
    int text;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct message *message;

void *done(void *unused) {
    pthread_mutex_lock(&mutex);
    message->users--;
    pthread_mutex_unlock(&mutex);

    if (message->users == 0)
        free(message);
    return 0;
}

int main(void) {
    pthread_t one, two;
    message = malloc(sizeof *message);
    message->users = 2;
    message->text = 7;
    pthread_create(&one, 0, done, 0);
    pthread_create(&two, 0, done, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
