// expect(race): unsafe
// A node is changed when it is in the list already.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node *head;
int sum;

static void *push(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    pthread_mutex_lock(&m);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&m);
    node->value = 2;
    return 0;
}

static void *look(void *unused) {
    pthread_mutex_lock(&m);
    sum = head ? head->value : 0;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
