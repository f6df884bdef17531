int main(void) { return '\777'; }
