// The count wraps around without ever getting to the bound.
// expect(termination): unsafe

int main(void) {
    for (unsigned i = 0; i != 11; i += 2) {
    }
    return 0;
}
