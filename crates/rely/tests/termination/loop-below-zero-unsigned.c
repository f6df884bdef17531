// An unsigned number is never below zero.
// expect(termination): unsafe

int main(void) {
    unsigned sum = 0;
    for (unsigned i = 10; i >= 0; i--)
        sum += i;
    return 0;
}
