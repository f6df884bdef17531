int main(void) { int n = 3; n++; int a[n]; a[0] = 1; return a[0]; }
