// Nobody asks for the count, which comes back to where it began after 2^64 rounds.
// expect(termination): unsafe
// expect(fair-termination): unsafe

int main(void) {
    unsigned long rounds = 0;
    for (;;)
        rounds++;
    return 0;
}
