#include <pthread.h>
#include <stdlib.h>
struct obj { int refs; int data; };
void put(struct obj *o) { if (--o->refs == 0) free(o); }
void *user(void *p) { struct obj *o = p; int d = o->data; (void)d; put(o); return 0; }
int main(void) {
    struct obj *o = malloc(sizeof *o); if (!o) return 1;
    o->refs = 2; o->data = 5;
    pthread_t a, b; pthread_create(&a, 0, user, o); pthread_create(&b, 0, user, o);
    pthread_join(a, 0); pthread_join(b, 0);
}
