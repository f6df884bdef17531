#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct node { int value; struct node *next; };
struct queue { struct node *head, *tail; pthread_mutex_t lock; pthread_cond_t nonempty; };
static struct queue q = { 0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
void push(struct queue *q, int v) {
    struct node *n = malloc(sizeof *n);
    n->value = v; n->next = NULL;
    pthread_mutex_lock(&q->lock);
    if (q->tail) q->tail->next = n; else q->head = n;
    q->tail = n;
    pthread_cond_signal(&q->nonempty);
    pthread_mutex_unlock(&q->lock);
}
int pop(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->head == NULL)            /* should be while */
        pthread_cond_wait(&q->nonempty, &q->lock);
    struct node *n = q->head;
    q->head = n->next;
    if (!q->head) q->tail = NULL;
    pthread_mutex_unlock(&q->lock);
    int v = n->value;
    free(n);
    return v;
}
void *producer(void *a) { push(&q, 1); push(&q, 2); return 0; }
void *consumer(void *a) { pop(&q); return 0; }
int main(void) {
    pthread_t p, c1, c2;
    pthread_create(&c1, 0, consumer, 0);
    pthread_create(&c2, 0, consumer, 0);
    pthread_create(&p, 0, producer, 0);
    pthread_join(p, 0); pthread_join(c1, 0); pthread_join(c2, 0);
    return 0;
}
