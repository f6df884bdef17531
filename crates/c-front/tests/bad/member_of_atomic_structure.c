_Atomic struct { int a, b; } s;
int main(void) { s.a = 1; return 0; }
