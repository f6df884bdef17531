_Static_assert(sizeof(long) == 8, "fine"); _Static_assert(sizeof(int) == 8); int main(void) { return 0; }
