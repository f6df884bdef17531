// The counter is recharged as often as there are spare ones.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int charge = __VERIFIER_nondet_int(), spare = __VERIFIER_nondet_int();
    while (charge > 0) {
        charge--;
        if (charge == 0 && spare > 0) {
            spare--;
            charge = __VERIFIER_nondet_int();
        }
    }
    return 0;
}
