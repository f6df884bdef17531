#pragma pack(3)
struct s { char c; int x; }; int main(void) { return sizeof(struct s); }
