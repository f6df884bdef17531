// Three numbers in lexicographic order.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    while (x > 0 && y > 0 && z > 0) {
        int way = __VERIFIER_nondet_int();
        if (way > 0) {
            x--;
            y = __VERIFIER_nondet_int();
            z = __VERIFIER_nondet_int();
        } else if (way < 0) {
            y--;
            z = __VERIFIER_nondet_int();
        } else {
            z--;
        }
    }
    return 0;
}
