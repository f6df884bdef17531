// A counter in steps of two never meets an odd bound.
// expect(termination): unknown
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x != 0) {
        x = x - 2;
    }
    return 0;
}
