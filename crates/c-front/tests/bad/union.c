union u { int a; char b[4]; } x; int main(void) { x.a = 1; return x.b[0]; }
