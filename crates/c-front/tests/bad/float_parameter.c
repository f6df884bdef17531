int half(double d) { return d / 2; } int main(void) { return half(3); }
