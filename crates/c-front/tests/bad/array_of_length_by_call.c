int f(int n) { int a[n]; a[n - 1] = 1; return a[n - 1]; }
int main() { return f(2) + f(5); }
