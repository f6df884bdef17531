// From an odd number two by two: zero is passed by.
// expect(termination): unsafe
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    while (i != 0)
        i -= 2;
    return 0;
}
