int main(void) { char *s = 0; return _Generic(s, const char *: 1, char *: 2); }
