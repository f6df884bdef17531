// The bound of a loop does not matter.
// expect(termination): safe
int main(void) {
    int i = 0;
    while (i < 1000000000) {
        i = i + 1;
    }
    return 0;
}
