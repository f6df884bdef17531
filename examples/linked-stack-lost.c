// A stack of allocated nodes whose push forgets that another thread may push at the same time:
// what the other one has put on top between the two marked lines is lost.
//
// expect: unsafe line 40
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

struct node *_Atomic top;

static void push(struct node *node) {
    node->next = atomic_load(&top); // here ...
    atomic_store(&top, node);       // ... and here
}

void *worker(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->value = 2;
    push(node);
    return 0;
}

int main(void) {
    pthread_t thread;
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    pthread_create(&thread, 0, worker, 0);
    push(node);
    pthread_join(thread, 0);
    int sum = 0;
    for (struct node *each = atomic_load(&top); each; each = each->next)
        sum += each->value;
    // Fails: one of the two nodes is on no list any more.
    assert(sum == 3);
    return 0;
}
