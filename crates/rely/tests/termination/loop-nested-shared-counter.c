// The inner loop uses up what the outer one counts.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0) {
        int y = x;
        while (y > 0) {
            y = y - 1;
            x = x - 1;
        }
    }
    return 0;
}
