struct s { int x, y; }; int main(void) { struct s a[3] = {[0 ... 1].x = 1, 2}; return a[1].y; }
