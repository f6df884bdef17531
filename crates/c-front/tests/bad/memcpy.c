void *memcpy(void *, const void *, unsigned long); int a, b; int main(void) { memcpy(&a, &b, 4); return a; }
