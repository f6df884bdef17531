int main(void) { foo x; return 0; }
