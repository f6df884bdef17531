// A function with a loop is called in a loop.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

static int work(int much) {
    int done = 0;
    while (done < much) {
        done++;
    }
    return 1;
}

int main(void) {
    int rounds = __VERIFIER_nondet_int();
    while (rounds > 0) {
        rounds = rounds - work(rounds);
    }
    return 0;
}
