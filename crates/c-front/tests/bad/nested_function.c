int main(void) { int inner(int a) { return a; } return inner(1); }
