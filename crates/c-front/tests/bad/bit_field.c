struct s { int a : 3; } x; int main(void) { x.a = 1; return 0; }
