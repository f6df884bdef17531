// The parameter is called like the array, but is a pointer: gcc does not know where it ends.
// expect: unsafe line 6
int a[3], index = 3;

void set(int a[]) {
    a[index] = 1;
}

int main(void) {
    set(a);
    return 0;
}
