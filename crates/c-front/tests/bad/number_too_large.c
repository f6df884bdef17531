int main(void) { return 99999999999999999999; }
