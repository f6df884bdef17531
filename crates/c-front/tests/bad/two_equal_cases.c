int x; int main(void) { switch (x) { case 1: x = 1; case 1: x = 2; } return 0; }
