int main(void) { void *p = &&here; here: return p != 0; }
