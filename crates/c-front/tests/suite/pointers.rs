//! Pointers: known ones, computed ones, and those that threads get as arguments.

use crate::common::{explore, program};

fn check(text: &str, end: &str) {
    let runs = explore(&program(text));
    assert!(runs.failures.is_empty(), "{:?}\n{text}", runs.failures);
    assert!(!runs.ends.is_empty(), "the program ends\n{text}");
    for found in &runs.ends {
        for field in end.split(' ') {
            assert!(found.split(' ').any(|other| other == field), "{found} has no {field}\n{text}");
        }
    }
}

fn check_failure(text: &str, message: &str) {
    let runs = explore(&program(text));
    assert!(runs.failures.iter().any(|found| found == message), "{:?}\n{text}", runs.failures);
}

#[test]
fn computed_pointers_find_their_targets() {
    check("int x, y, c; int main() { int *p; if (c) p = &x; else p = &y; *p = 5; }", "x=0 y=5");
    check("int x, y, *p = &x; int main() { *p = 1; p = &y; *p = 2; }", "x=1 y=2");
    check("int a[4], *p = a; int main() { for (int i = 0; i < 4; i++) *p++ = i; }", "a=[0, 1, 2, 3]");
    check("int a[4], *p = a; int main() { p = a + 3; p[-2] = 5; *(p - 1) = 6; }", "a=[0, 5, 6, 0]");
    check("int a[4], n, *p; int main() { p = &a[1]; n = p - a; n = n * 10 + (p > a); }", "n=11");
    check("int x, y, *p, **pp = &p; int main() { p = &x; **pp = 3; *pp = &y; **pp = 4; }", "x=3 y=4");
    check("struct s { int a, b; } x, y, *p = &x; int main() { p->b = 2; p = &y; p->b = 3; }", "x.b=2 y.b=3");
    check(
        "struct s { int a, b; } t[3], *p = t; int main() { p++; p->b = 4; p[1].a = 5; }",
        "t.b=[0, 4, 0] t.a=[0, 0, 5]",
    );
    check(
        "struct s { int a; int v[3]; } x, *p = &x; int main() { int *q = p->v; q[2] = 8; }",
        "x.v=[0, 0, 8]",
    );
    check("int x, *p, n; int main() { p = 0; n = !p; p = &x; n = n * 10 + (p != 0); }", "n=11");
    check("int m[2][2], *p; int main() { p = &m[1][0]; p[1] = 3; }", "m=[0, 0, 0, 3]");
    check("unsigned x; int main() { int *p = (int *)&x; *p = -1; }", "x=4294967295");
    check("int x; long l; int main() { l = (long)&x; *(int *)l = 4; }", "x=4");
    check(
        "int x; void set(int *p, int v) { if (v > 3) p = &x; *p = v; } int y; \
        int main() { set(&y, 3); set(&y, 4); }",
        "y=3 x=4",
    );
}

#[test]
fn variables_start_with_their_values_however_they_are_reached() {
    // The array is found through the pointer before its name is met.
    check(
        "int c, k, a[2] = { 7, 8 }; int main() { int *p = &k; if (c) { *p = 3; } *p = 4; p = &a[1]; k = *p; }",
        "k=8 a=[7, 8]",
    );
    check(
        "int c, k; int main() { int *p = &k; if (c) *p = 1; *p = 2; static int s = 5; p = &s; k = *p; }",
        "k=5",
    );
    check("int k; char x, *p = &x; int main() { if (k) *p = 1; p = \"ab\"; k = p[1]; }", "k=98");
    check("int k, x, *p = &x; const int n = 6; int main() { if (k) k = *p; p = (int *)&n; k = *p; }", "k=6");
    // The initializer mentions what it initializes.
    check("int a[2] = { sizeof(a[0] + 0), 7 }, k; int main() { k = a[1]; }", "a=[4, 7] k=7");
    check(
        "struct n { struct n *next; int v; } a, b = { &a, 2 }, a = { &b, 1 }; int k; \
         int main() { k = a.next->v * 10 + a.next->next->v; }",
        "k=21",
    );
    check("int *p = (int[]){ 4, 5 }, k; int main() { k = p[1]; p[1]++; k += p[1]; }", "k=11");
    check(
        "struct s { int v; int *q; } *p = &(struct s){ .q = (int[]){ 3 }, .v = 9 }; int k; \
         int main() { k = p->v + *p->q; }",
        "k=12",
    );
}

#[test]
fn values_do_not_change_under_what_comes_later() {
    // The place that is written to depends on what is written.
    check("int k; int main() { int a[3] = { 0, 5, 9 }; k = (a[a[0]] = 2); k = k * 10 + a[0]; }", "k=22");
    check(
        "int k; struct n { struct n *next; int v; }; int main() { struct n a, b, *p; a.v = 1; b.v = 2; b.next = 0; \
         a.next = &b; p = &a; k = (p->next = p->next->next) == 0; k = k * 10 + (a.next == 0); }",
        "k=11",
    );
    // The parameters of the inner call are still needed when those of the outer one are set.
    check(
        "struct s { int x; } a = { 3 }, b = { 4 }; int f(struct s p, int q) { return p.x * 10 + q; } int k; \
         int main() { k = f(a, f(b, 1)); }",
        "k=71",
    );
    check(
        "struct s { int x; } t[2] = { { 3 }, { 4 } }; int f(struct s p, int q) { return q - p.x; } int k; \
         int main() { k = f(t[f(t[0], 4)], 9); }",
        "k=5",
    );
}

#[test]
fn names_mean_what_is_declared_last() {
    check("int x = 1, k; int main() { int x = 2; { extern int x; k = x; } k = k * 10 + x; }", "k=12");
    check("int x, k, *p = &x; int main() { void *p = &p; k = p != 0; }", "k=1");
    check(
        "enum { a = 0x80000000, b = -1 } e; enum { c = 0x80000000 }; long k; int main() { k = -c; }",
        "k=2147483648",
    );
}

#[test]
fn arithmetic_leads_through_whole_objects() {
    check(
        "int k, a[5] = { 1, 2, 3, 4, 5 }; int main() { int *e = a + 5; for (int i = 1; i < 3; i++) k = k * 10 + e[-i]; }",
        "k=54",
    );
    check(
        "struct s { int a[2], b[2]; } s = { { 1, 2 }, { 3, 4 } }, u; int k, *p = u.a; \
         int main() { p = s.a + 2; for (int i = 1; i < 3; i++) k = k * 10 + p[-i]; }",
        "k=21",
    );
    check(
        "struct s { char c; int x; } t[3], *p = t; int main() { p++; for (int i = 0; i < 2; i++) p[i].x = i + 4; }",
        "t.x=[0, 4, 5]",
    );
    check("struct s { int a, b; } s; int c; int main() { *(int *)((char *)&s + (c ? 0 : 4)) = 3; }", "s.b=3");
    check(
        "struct s { int a, b; } s; int main() { unsigned long n = (unsigned long)&s; *(int *)(n + 4) = 3; }",
        "s.b=3",
    );
    check(
        "struct s { int n, v[3]; } s, u; int *p = u.v; int main() { p = &s.v[2]; \
         ((struct s *)((char *)p - __builtin_offsetof(struct s, v[2])))->n = 6; }",
        "s.n=6 u.n=0",
    );
    check(
        "struct s { int a, b; } s; long n; int main() { n = (long)&s; __sync_fetch_and_add(&n, 4); *(int *)n = 3; }",
        "s.b=3",
    );
    check(
        "struct s { int a, b; } s; long n = 4; int main() { __sync_fetch_and_add(&n, (long)&s); *(int *)n = 3; }",
        "s.b=3",
    );
    check("int k, a[3]; int main() { int *e = &a[3]; k = e - a; }", "k=3");
    check(
        "int k, a[5], *_Atomic p = a + 4; int main() { p -= 2; *p = 3; int i = 1; p -= i; *p = 2; }",
        "a=[0, 2, 3, 0, 0]",
    );
    check("int x, y, c; void *p = &x; int main() { p = (c ? p : &y); *(int *)p = 1; }", "x=0 y=1");
}

#[test]
fn structures_are_found_around_their_members() {
    check(
        "struct in { int v; }; struct out { long lock; struct in i; int w; } o; \
         int main() { struct in *p = &o.i; struct out *q = (struct out *)((char *)p - \
         (unsigned long)&((struct out *)0)->i); q->w = 5; }",
        "o.w=5",
    );
    check(
        "struct out { int a, b; } o, u; int *p; int main() { p = &o.b; if (u.a) p = &u.b; \
         struct out *q = (struct out *)((char *)p - __builtin_offsetof(struct out, b)); q->a = 9; }",
        "o.a=9 u.a=0",
    );
}

#[test]
fn functions_are_called_through_pointers() {
    let functions = "int one(int x) { return x + 1; } int two(int x) { return x + 2; } ";
    check(&format!("{functions} int r; int main() {{ int (*f)(int) = one; r = f(5); }}"), "r=6");
    // Nobody calls the function with the label, inside of the section or outside.
    check(
        "void __VERIFIER_atomic_begin(), __VERIFIER_atomic_end(); int n, r, a[2]; \
         int h(int x) { back: n++; if (n < x) goto back; return n; } int (*f)(int) = h; \
         int main() { __VERIFIER_atomic_begin(); r = &a[1] - a ? 4 : f(2); __VERIFIER_atomic_end(); }",
        "r=4",
    );
    check(
        &format!(
            "{functions} int r, c = 1; int main() {{ int (*f)(int); if (c) f = two; else f = &one; r = (*f)(5); }}"
        ),
        "r=7",
    );
    check(
        &format!(
            "{functions} int r; int (*t[2])(int) = {{ one, two }}; int main() {{ for (int i = 0; i < 2; i++) r += t[i](i); }}"
        ),
        "r=4",
    );
    check(
        &format!(
            "{functions} int r; int ap(int (*f)(int), int x) {{ return f(x); }} int main() {{ r = ap(one, 1) * 10 + ap(two, 1); }}"
        ),
        "r=23",
    );
}

const PTHREAD: &str = "typedef unsigned long pthread_t; int pthread_create(pthread_t *, void *, void *(*)(void *), void *); \
    int pthread_join(pthread_t, void **); void pthread_exit(void *); ";

#[test]
fn threads_get_their_arguments() {
    let check = |text: &str, end: &str| check(&format!("{PTHREAD} {text}"), end);
    check(
        "int a[3]; void *f(void *p) { int i = (int)(long)p; a[i] = i + 1; return 0; } int main() { \
         pthread_t t[3]; for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i); \
         for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }",
        "a=[1, 2, 3]",
    );
    check(
        "int r; void *f(void *p) { *(int *)p = 3; return 0; } int main() { pthread_t t; int x = 1; \
         pthread_create(&t, 0, f, &x); pthread_join(t, 0); r = x; }",
        "r=3",
    );
    check(
        "struct arg { int in, out; } args[2]; void *f(void *p) { struct arg *a = p; a->out = a->in * 2; return 0; } \
         int main() { pthread_t t[2]; for (int i = 0; i < 2; i++) { args[i].in = i + 4; \
         pthread_create(t + i, 0, f, &args[i]); } for (int i = 0; i < 2; i++) pthread_join(t[i], 0); }",
        "args.out=[8, 10]",
    );
    check(
        "int r; void *f(void *p) { return (void *)((long)p + 1); } int main() { pthread_t t; void *v; \
         pthread_create(&t, 0, f, (void *)4); pthread_join(t, &v); r = (long)v; }",
        "r=5",
    );
    check(
        "int r; void *f(void *p) { pthread_exit(p); } int main() { pthread_t t; int x = 6; void *v; \
         pthread_create(&t, 0, f, &x); pthread_join(t, &v); r = *(int *)v; }",
        "r=6",
    );
    check(
        "int r; void *f(void *p) { r++; return 0; } void start(pthread_t *t, void *(*g)(void *)) { pthread_create(t, 0, g, 0); } \
         int main() { pthread_t t, u; start(&t, f); pthread_join(t, 0); start(&u, f); pthread_join(u, 0); }",
        "r=2",
    );
}

#[test]
fn handles_and_parameters_live_in_memory() {
    let check = |text: &str, end: &str| check(&format!("{PTHREAD} {text}"), end);
    check(
        "int r; void *v; void *f(void *p) { return (void *)5; } int main() { pthread_t t; \
         pthread_create(&t, 0, f, 0); pthread_join(t, &v); r = (long)__sync_lock_test_and_set(&v, 0); }",
        "r=5",
    );
    check(
        "int r; struct s { pthread_t t; } a, b; void *f(void *p) { r = 4; return 0; } \
         int main() { pthread_create(&a.t, 0, f, 0); b = a; pthread_join(b.t, 0); r++; }",
        "r=5",
    );
    // The thread hands the address of its own parameter to another one.
    check(
        "int r; void *g(void *p) { r = (long)*(void **)p; return 0; } void *f(void *p) { pthread_t t; \
         pthread_create(&t, 0, g, &p); pthread_join(t, 0); return 0; } \
         int main() { pthread_t t; long n = 3; n += 4; pthread_create(&t, 0, f, (void *)n); pthread_join(t, 0); }",
        "r=7",
    );
}

#[test]
fn computed_functions_are_started() {
    check(
        &format!(
            "{PTHREAD} int r, c = 1; void *f(void *p) {{ r = 1; return 0; }} void *g(void *p) {{ r = 2; return 0; }} \
         int main() {{ pthread_t t; void *(*h)(void *); h = f; if (c) h = g; pthread_create(&t, 0, h, 0); pthread_join(t, 0); }}"
        ),
        "r=2",
    );
    check_failure(
        &format!(
            "{PTHREAD} void *(*h)(void *); void *f(void *p) {{ h = f; return 0; }} int main() {{ pthread_t t; \
         pthread_create(&t, 0, h, 0); }}"
        ),
        "no function is started by `pthread_create(&t, 0, h, 0)`",
    );
}

#[test]
fn wild_pointers_fail() {
    // What lies behind an array may be another member.
    check_failure(
        "struct s { int v[2], w; } s, *p; int main() { p = &s; return s.v[2]; }",
        "the index in `s.v[2]` is outside of `s.v`, which has 2 elements",
    );
    check_failure(
        "struct s { int v[2], w[2]; } s, u, *p = &u; int main() { p = &s; for (int i = 0; i < 3; i++) p->v[i] = 1; }",
        "the index in `p->v[i]` is outside of `p->v`, which has 2 elements",
    );
    check_failure(
        &format!(
            "{PTHREAD} void *f(void *p) {{ return 0; }} int n = 2; int main() {{ pthread_t t; \
             void *(*tab[2])(void *) = {{ f, f }}; pthread_create(&t, 0, tab[n], 0); }}"
        ),
        "the index in `tab[n]` is outside of `tab`, which has 2 elements",
    );
    check_failure(
        "int a[2], *p = a; int main() { p += 2; *p = 1; }",
        "`*p` accesses memory that is not there",
    );
    check_failure("int x, *p = &x; int main() { p++; *p = 1; }", "`*p` accesses memory that is not there");
    check_failure(
        "struct s { int a; } *p; int main() { return p->a; }",
        "`p->a` accesses memory that is not there",
    );
    check_failure(
        "int x, *p = &x; int main() { p = (int *)3; return *p; }",
        "`*p` accesses memory that is not there",
    );
    check_failure("int main() { int *p; *p = 1; }", "`*p` accesses memory that is not there");
}
