struct s { int a[2]; }; int main(void) { struct s s = {(int[2]){1, 2}}; return s.a[0]; }
