struct s { unsigned long a : 40; } x; long y;
int main(void) { y = x.a; }
