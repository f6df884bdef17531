// expect(race): safe
// Without a second thread there is no race.
#include <pthread.h>

int x;

int main(void) {
    x = 1;
    return x;
}
