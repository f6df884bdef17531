// expect: unknown
// Floating-point numbers are not followed: a comparison may come out either way, and a violation that depends on
// it is not claimed. That the share is 0.25 here only a computer knows.
#include <assert.h>

int half(double x) {
    if (x > 0.5)
        return 1;
    return 0;
}

int main(void) {
    double share = 1.0;
    share = share / 4;
    assert(half(share) == 0);
    return 0;
}
