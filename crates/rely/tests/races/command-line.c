// expect(race): unknown
// Which pointers of the command line are accessed is not known.
#include <pthread.h>

char **arguments;

static void *first(void *unused) {
    arguments[1] = 0;
    return 0;
}

int main(int argc, char **argv) {
    pthread_t thread;
    arguments = argv;
    pthread_create(&thread, 0, first, 0);
    int is_there = argv[1] != 0;
    pthread_join(thread, 0);
    return is_there;
}
