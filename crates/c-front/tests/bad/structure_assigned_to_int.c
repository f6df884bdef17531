struct s { int a; } x; int y; int main(void) { y = x; return 0; }
