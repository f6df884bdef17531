int main() { int x; static int *p = &x; return *p; }
