static const int steps[] = { [0 ... steps] = 3 };
int main(void) { return steps[0]; }
