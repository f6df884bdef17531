// The program asks until it gets the answer that it wants, and may never get it.
// expect(termination): unsafe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int answer;
    do {
        answer = __VERIFIER_nondet_int();
    } while (answer != 42);
    return 0;
}
