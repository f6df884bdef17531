// A stack of allocated nodes, as in Treiber's algorithm: push prepares a node on the side and
// puts it on top with compare-and-swap, again and again until nobody came between. No node is
// lost, so in the end the sum of the values on the stack is that of what was pushed.
//
// expect: safe
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
    struct node *old = atomic_load(&top);
    do
        node->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, node));
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
    assert(sum == 3);
    return 0;
}
