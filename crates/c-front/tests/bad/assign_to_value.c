int x; int main(void) { x + 1 = 2; return 0; }
