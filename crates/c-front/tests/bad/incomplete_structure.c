struct s; struct s *p; int main(void) { return p->a; }
