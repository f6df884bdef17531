// A readers-writer lock in C (table 1, "Readers-writer-lock"; Flanagan, Freund and Qadeer, ESOP 2002): `w`
// holds the number of the thread that writes, `r` counts those that read. One writer and one reader, as in
// the model beside this file, which says why.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

int w, r;
int x, y;

void *writer(void *unused) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0 && r == 0);
    w = 1;
    __VERIFIER_atomic_end();
    x = 3;
    w = 0;
    return 0;
}

void *reader(void *unused) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0);
    r = r + 1;
    __VERIFIER_atomic_end();
    y = x;
    if (y != x)
        reach_error();
    __VERIFIER_atomic_begin();
    r = r - 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, writer, 0);
    pthread_create(&t2, 0, reader, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
