void *malloc(unsigned long); int main(void) { int *p = malloc(4); return *p; }
