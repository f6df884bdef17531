int main(void) { __asm__ volatile ("cli"); return 0; }
