// A number grows until the type has no more values for it, which nobody relies on.
// expect(termination): unknown
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0) {
        x = x + 1;
    }
    return 0;
}
