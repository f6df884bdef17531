// Two threads count together, each as often as it is told. In the end the counter has been raised as
// often as both say, however often that is. No state of the threads by themselves says so: what the
// counter holds is the sum of what each of them has done so far.
//
// expect: safe
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

int rounds;
int counter = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *count(void *unused) {
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    rounds = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= rounds && rounds <= 1000000000);
    pthread_t first, second;
    pthread_create(&first, 0, count, 0);
    pthread_create(&second, 0, count, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(counter == 2 * rounds);
    return 0;
}
