int a[2], b[2]; int main(void) { a = b; return 0; }
