// A loop that does nothing.
// expect(termination): unsafe
int main(void) {
    while (1) {
    }
    return 0;
}
