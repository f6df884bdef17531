#include <pthread.h>
#include <stdlib.h>
struct job { int id; int done; };
void *work(void *p) { struct job *j = p; j->done = 1; return 0; }
int main(void) {
    struct job *j = malloc(sizeof *j);
    if (!j) return 1;
    j->id = 7; j->done = 0;
    pthread_t t;
    pthread_create(&t, 0, work, j);
    free(j);
    pthread_join(t, 0);
    return 0;
}
