float f = 1; int main(void) { return f > 0.5; }
