int setjmp(int *); int b[8]; int main(void) { return setjmp(b); }
