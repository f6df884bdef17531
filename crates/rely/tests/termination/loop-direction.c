// A counter goes up to its bound or down to it.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), bound = __VERIFIER_nondet_int();
    int up = x < bound;
    while (x != bound) {
        if (up)
            x++;
        else
            x--;
    }
    return 0;
}
