// Zero is doubled for ever.
// expect(termination): unsafe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 0, n = __VERIFIER_nondet_int();
    while (x < n) {
        x = 2 * x;
    }
    return 0;
}
