int x; int main(void) { switch (x) { case x: return 1; } return 0; }
