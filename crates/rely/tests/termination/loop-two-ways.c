// Two ways through the loop, either of which lowers the sum.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x + y > 0) {
        if (__VERIFIER_nondet_int()) {
            x = x - 2;
            y = y + 1;
        } else {
            y = y - 1;
        }
    }
    return 0;
}
