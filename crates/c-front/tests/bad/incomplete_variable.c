struct s x; int main(void) { return x.a; }
