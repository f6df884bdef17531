int main(void) { void x; return 0; }
