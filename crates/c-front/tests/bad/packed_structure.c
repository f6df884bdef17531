struct s { char a; int b; } __attribute__((packed)); struct s x; int main(void) { return sizeof x; }
