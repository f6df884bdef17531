// The size of the step may be zero.
// expect(termination): unsafe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), step = __VERIFIER_nondet_int();
    if (step >= 0) {
        while (x > 0) {
            x = x - step;
        }
    }
    return 0;
}
