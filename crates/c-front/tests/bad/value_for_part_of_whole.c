struct s { int x, y; } a; struct t { struct s s; }; int main(void) { struct t t = {.s = a, .s.x = 1}; return t.s.y; }
