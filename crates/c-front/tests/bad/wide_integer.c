__int128 x; int main(void) { return x != 0; }
