int x, *p = &x; int main(void) { p = p * 2; return 0; }
