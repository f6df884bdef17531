// gcc evaluates arguments from right to left.
// expect: unsafe line 16
#include <assert.h>
int count;

int next(void) {
    count = count + 1;
    return count;
}

int difference(int left, int right) {
    return left - right;
}

int main(void) {
    assert(difference(next(), next()) == 1);
    return 0;
}
