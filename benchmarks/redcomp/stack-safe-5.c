// A bounded stack of 5 elements with a lock: one thread pushes, one pops as long as something was pushed
// (table I of "Reduction for compositional verification of multi-threaded programs").
//
// The flag says that there is something on the stack. It is looked at under the lock,
// and so is the top: nobody pops from an empty stack.
#include <assert.h>
#include <pthread.h>

#define SIZE 5

unsigned int elements[SIZE];
int top;
_Bool filled;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

extern unsigned int __VERIFIER_nondet_uint(void);

void push(unsigned int element) {
    assert(top < SIZE);
    elements[top] = element;
    top = top + 1;
}

unsigned int pop(void) {
    assert(top > 0);
    top = top - 1;
    return elements[top];
}

void *pusher(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&m);
        push(__VERIFIER_nondet_uint() % SIZE);
        filled = 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *popper(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&m);
        if (filled) {
            pop();
            filled = top > 0;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, pusher, 0);
    pthread_create(&second, 0, popper, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
