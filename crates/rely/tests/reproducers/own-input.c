// The program answers its own question.
// expect: unsafe line 10
#include <assert.h>

int __VERIFIER_nondet_int(void) {
    return 3;
}

int main(void) {
    assert(__VERIFIER_nondet_int() != 3);
    return 0;
}
