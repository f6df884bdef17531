void *p; int main(void) { return *p; }
