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
