int main(void) { _Static_assert(sizeof(int) == 8, "eight"); return 0; }
