int x = 1, y = x; int main(void) { return y; }
