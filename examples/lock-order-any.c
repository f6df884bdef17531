// Clerks move money between two accounts as often as somebody wants. All take the locks in one order, so nobody waits for
// ever, whatever `rounds` is.
// expect: safe
// expect(deadlock): safe
// expect(termination): safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t savings = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t giro = PTHREAD_MUTEX_INITIALIZER;
int rounds;

void *clerk(void *unused) {
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&savings);
        pthread_mutex_lock(&giro);
        pthread_mutex_unlock(&giro);
        pthread_mutex_unlock(&savings);
    }
    return 0;
}

int main(void) {
    pthread_t first, second;
    rounds = __VERIFIER_nondet_int();
    pthread_create(&first, 0, clerk, 0);
    pthread_create(&second, 0, clerk, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
