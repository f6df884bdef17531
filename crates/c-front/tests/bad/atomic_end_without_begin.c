int x; int main(void) { x = 1; __VERIFIER_atomic_end(); return 0; }
