int main(void) { goto nowhere; }
