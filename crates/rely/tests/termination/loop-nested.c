// One loop inside of another one, with bounds of any size.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
        }
    }
    return 0;
}
