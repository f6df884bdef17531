int x; int main(void) { switch (x) { default: x = 1; default: x = 2; } return 0; }
