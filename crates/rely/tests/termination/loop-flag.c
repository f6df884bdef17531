// A flag ends the loop, set when the counter is used up.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), go = 1;
    while (go) {
        x = x - 1;
        if (x < 0)
            go = 0;
    }
    return 0;
}
