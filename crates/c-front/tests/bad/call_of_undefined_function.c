int mystery(int); int main(void) { return mystery(1); }
