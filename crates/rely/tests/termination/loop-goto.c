// Jumps backwards instead of a loop.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
again:
    if (x > 5) {
        x = x - 2;
        goto again;
    }
    return 0;
}
