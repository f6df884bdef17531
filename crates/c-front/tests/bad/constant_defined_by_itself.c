const int N = N + 1;
int main() { return N; }
