// The greatest common divisor by subtraction, of any numbers: with zero it never ends.
// expect(termination): unsafe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    while (a != b) {
        if (a > b)
            a = a - b;
        else
            b = b - a;
    }
    return 0;
}
