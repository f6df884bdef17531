int x; int main(void) { char *p = (char *)&x; return p[1]; }
