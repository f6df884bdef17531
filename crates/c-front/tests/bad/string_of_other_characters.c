int main(void) { char s[] = L"abc"; return s[0]; }
