struct s { int a; } x, y; int c; int main(void) { return (c ? x : y).a; }
