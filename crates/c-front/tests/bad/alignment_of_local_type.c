int main(void) { typedef int t __attribute__((aligned(16))); struct { char c; t x; } s; return sizeof(s); }
