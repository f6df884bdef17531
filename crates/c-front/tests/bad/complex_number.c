int main(void) { double _Complex z; return 0; }
