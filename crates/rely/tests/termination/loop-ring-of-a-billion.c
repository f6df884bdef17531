// A position in a ring is never negative. It takes a billion rounds until one of them recurs.
// expect(termination): unsafe

int main(void) {
    long position = 0;
    while (position >= 0)
        position = (position + 1) % 1000000007L;
    return 0;
}
