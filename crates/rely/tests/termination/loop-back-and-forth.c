// Two numbers are moved back and forth.
// expect(termination): unsafe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x > 0 || y > 0) {
        if (__VERIFIER_nondet_int()) {
            x--;
            y++;
        } else {
            y--;
            x++;
        }
    }
    return 0;
}
