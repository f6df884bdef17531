struct s { int x; _Static_assert(sizeof(int) == 2, "no"); }; int main(void) { return 0; }
