// expect(race): unknown
// Both calls write to the same memory of the library; nobody knows which cells.
#include <pthread.h>
#include <time.h>

time_t now;

static void *hour(void *unused) {
    struct tm *time = localtime(&now);
    int hour = time ? time->tm_hour : 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, hour, 0);
    pthread_create(&b, 0, hour, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
