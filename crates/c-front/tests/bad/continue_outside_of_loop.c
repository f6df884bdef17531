int x; int main(void) { switch (x) { case 1: continue; } return 0; }
