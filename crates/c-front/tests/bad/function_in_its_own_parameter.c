int sum(int (*f)(int), int v[sum]) { return f(v[0]); }
int twice(int x) { return 2 * x; }
int main(void) {
    int v[2] = { 1, 2 };
    return sum(twice, v);
}
