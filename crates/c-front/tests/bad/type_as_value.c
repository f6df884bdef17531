typedef int T; int main(void) { return sizeof(int) + T; }
