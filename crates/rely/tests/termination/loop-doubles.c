// A number is doubled until it is large.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 1, n = __VERIFIER_nondet_int();
    while (x < n) {
        x = 2 * x;
    }
    return 0;
}
