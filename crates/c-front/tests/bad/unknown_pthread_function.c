int pthread_once(int *, void (*)(void)); void f(void) { } int o; int main(void) { return pthread_once(&o, f); }
