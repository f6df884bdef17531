struct p { struct p *n : t; int x; };
int main(void) { struct p *q = 0; return q->x; }
