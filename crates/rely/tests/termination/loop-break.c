// A loop without a condition is left in its middle.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    for (;;) {
        if (x < 10)
            break;
        x = x - 3;
    }
    return 0;
}
