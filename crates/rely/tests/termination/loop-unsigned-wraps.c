// An unsigned number starts again from zero.
// expect(termination): unsafe
int main(void) {
    unsigned char x = 1;
    while (x != 0) {
        x = x + 2;
    }
    return 0;
}
