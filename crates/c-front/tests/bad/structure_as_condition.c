struct s { int a; } x; int main(void) { if (x) return 1; return 0; }
