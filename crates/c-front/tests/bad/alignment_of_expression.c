int x; int main(void) { return __alignof__(x); }
