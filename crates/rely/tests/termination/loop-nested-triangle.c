// The inner loop runs as far as the outer one has come.
// expect(termination): safe
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        int j = i;
        while (j > 0) {
            j--;
        }
    }
    return 0;
}
