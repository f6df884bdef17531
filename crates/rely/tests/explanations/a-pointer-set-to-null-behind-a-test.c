#include <pthread.h>
#include <stdlib.h>
struct conn { int fd; } *current;
void *closer(void *a) { free(current); current = NULL; return 0; }
void *sender(void *a) { if (current) current->fd = 3; return 0; }
int main(void) { current = calloc(1, sizeof *current); if (!current) return 1; pthread_t s, t; pthread_create(&s, 0, closer, 0); pthread_create(&t, 0, sender, 0); pthread_join(s, 0); pthread_join(t, 0); }
