int main(void) { int n = 3; n++; int a[n][n]; a[0][0] = 1; return a[0][0]; }
