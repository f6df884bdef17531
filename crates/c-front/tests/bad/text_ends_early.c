int main(void) { if (1) {
