int main(void) { void *p = 0; goto *p; }
