//! Allocated memory, and the command line.

use crate::common::{explore, program};

const DECLARATIONS: &str = "typedef unsigned long size_t; void *malloc(size_t); void *calloc(size_t, size_t); \
    void free(void *); void *memset(void *, int, size_t), *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t); \
    int memcmp(const void *, const void *, size_t); void *realloc(void *, size_t); char *strdup(const char *); char *strcpy(char *, const char *); int atoi(const char *); typedef unsigned long pthread_t; \
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **); ";

fn check(text: &str, end: &str) {
    let runs = explore(&program(&format!("{DECLARATIONS}{text}")));
    assert!(runs.failures.is_empty(), "{:?}\n{text}", runs.failures);
    assert!(!runs.ends.is_empty(), "the program ends\n{text}");
    for found in &runs.ends {
        for field in end.split(' ') {
            assert!(found.split(' ').any(|other| other == field), "{found} has no {field}\n{text}");
        }
    }
}

#[test]
fn each_allocation_is_an_object() {
    check(
        "int k; int main() { int *p = malloc(sizeof(int)), *q = malloc(4); *p = 3; *q = 4; k = *p * 10 + *q; }",
        "k=34",
    );
    check(
        "int k; int main() { int *p = calloc(3, sizeof *p); p[2] = 5; k = p[0] * 10 + p[2]; free(p); }",
        "k=5",
    );
    check(
        "struct n { struct n *next; int v; }; struct n *push(struct n *l, int v) { struct n *n = malloc(sizeof *n); \
         n->next = l; n->v = v; return n; } int k; \
         int main() { struct n *l = push(push(push(0, 1), 2), 3); for (; l; l = l->next) k = k * 10 + l->v; }",
        "k=321",
    );
    check(
        "int k, *g; void *any(void) { return malloc(8); } int main() { g = any(); g[1] = 2; void *p = any(); k = (int *)p != g; }",
        "k=1",
    );
    check("char *v; int main() { v = malloc(8); strcpy(v + 1, \"ab\"); }", "heap=[0, 97, 98, 0, 0, 0, 0, 0]");
    check(
        "int *g, k; void *f(void *p) { g = malloc(4); *g = 7; return 0; } int main() { pthread_t t; \
         pthread_create(&t, 0, f, 0); pthread_join(t, 0); k = *g; }",
        "k=7",
    );
}

#[test]
fn memory_is_set_and_copied() {
    let set = "struct s { int a; long v[2]; _Bool c; } x = { 1, { 2, 3 }, 1 }, y, *p = &y; int k, a[3] = { 1, 2, 3 }; ";
    check(&format!("{set} int main() {{ memset(&x, 0, sizeof x); }}"), "x.a=0 x.v=[0, 0] x.c=0");
    check(
        &format!("{set} int main() {{ p = &x; memset(p, 0, sizeof(struct s)); k = p->a + 5; }}"),
        "x.v=[0, 0] k=5",
    );
    check(&format!("{set} int main() {{ memset(a, 0, sizeof a); k = a[2]; }}"), "a=[0, 0, 0]");
    check(&format!("{set} int main() {{ memset(a + 1, 0, 2 * sizeof *a); }}"), "a=[1, 0, 0]");
    check(&format!("{set} int main() {{ memcpy(p, &x, sizeof x); }}"), "y.a=1 y.v=[2, 3] y.c=1");
    check(
        &format!(
            "{set} int main() {{ int b[3]; memcpy(b, a, sizeof b); k = b[0] * 100 + b[1] * 10 + b[2]; }}"
        ),
        "k=123",
    );
    check(&format!("{set} int main() {{ memset(a, 1, sizeof a); }}"), "a=[16843009, 16843009, 16843009]");
    check(&format!("{set} int main() {{ memset(a, 255, 7); k = a[1]; }}"), "k=16777215");
    check(
        "int a[3], k; char c[4] = { 1, 2, 3, 4 }; int main() { memcpy(a + 1, c, 4); k = a[1] + memcmp(c, a + 1, 4); }",
        "k=67305985",
    );
    let sizes =
        "int k, n = 3; char c[4] = { 1, 2, 3, 4 }, d[4]; int a[2] = { 5, 6 }, b[2]; int main() { n += k;";
    check(&format!("{sizes} memset(c + 1, 7, n - 1); }}"), "n=3 c=[1, 7, 7, 4]");
    check(
        &format!("{sizes} memcpy(d, c, n); k = memcmp(c, d, n) == 0 && memcmp(c, d, n + 1) > 0; }}"),
        "d=[1, 2, 3, 0] k=1 n=3",
    );
    check(&format!("{sizes} memmove(c + 1, c, n); }}"), "n=3 c=[1, 1, 2, 3]");
    check(&format!("{sizes} memmove(c, c + 1, n); }}"), "n=3 c=[2, 3, 4, 4]");
    check(&format!("{sizes} memcpy(b, a, n * 2 + 2); k = b[0] * 10 + b[1]; }}"), "n=3 k=56");
}

#[test]
fn memory_is_made_larger_and_smaller() {
    let start = "int k, n = 2; int main() { int *p = malloc(n * sizeof *p); p[0] = 3; p[1] = 4;";
    check(
        &format!("{start} p = realloc(p, 12); p[2] = 5; k = p[0] * 100 + p[1] * 10 + p[2]; free(p); }}"),
        "k=345",
    );
    check(&format!("{start} p = realloc(p, 4); k = p[0]; free(p); }}"), "k=3");
    check(&format!("{start} p = realloc((void *)0, 4); *p = 6; k = *p; }}"), "k=6");
    check(
        "int k; int main() { char *p = strdup(\"ab\"), *q = strdup(p); q[0] = 'c'; k = (p[0] == 'a') + q[2] + (q[0] - p[0]) * 10; }",
        "k=21",
    );
}

#[test]
fn assumptions_about_memory_are_named() {
    let named = |text: &str| program(&format!("{DECLARATIONS}{text}")).assumptions().to_vec();
    let found = named("int main() { int *p = malloc(4); *p = 1; free(p); }");
    for name in ["allocation-and-creation-succeed", "arrays-written-before-read", "freed-memory-is-not-used"]
    {
        assert!(found.contains(&name), "{found:?}");
    }
    assert!(!found.contains(&"object-addresses"), "{found:?}");
    // Nothing is known of where memory lies that is allocated after something was freed: not that it is elsewhere,
    // nor that it is the same again.
    for text in [
        "int main() { int *p = malloc(4); free(p); int *q = malloc(4); return p == q; }",
        "int main() { for (int i = 0; i < 2; i++) { int *p = malloc(4); free(p); } }",
    ] {
        let found = named(text);
        assert!(found.contains(&"object-addresses"), "{found:?}");
    }
    let found = named(
        "struct s { int a; } x, y, *p = &x; int main() { p = (struct s *)(void *)&y; void *q = p; p = q; }",
    );
    assert!(!found.contains(&"object-addresses"), "{found:?}");
}

/// The messages of the failures that are found.
fn check_failures(text: &str, expected: &[&str]) {
    let program = program(&format!("{DECLARATIONS}{text}"));
    let found: Vec<String> = explore(&program).failures.into_iter().collect();
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn memory_is_allocated_again_and_again() {
    check(
        "struct n { struct n *next; int v; }; int k; int main() { struct n *l = 0; for (int i = 0; i < 5; i++) { \
         struct n *n = malloc(sizeof *n); n->v = i; n->next = l; l = n; } for (; l; l = l->next) k = k * 10 + l->v; }",
        "k=43210",
    );
    check(
        "int k; int main() { for (int i = 0; i < 20; i++) { int *p = calloc(2, 4); k += p[1]; p[1] = i; free(p); } }",
        "k=0",
    );
    check_failures(
        "int main() { for (int i = 0; i < 9; i++) malloc(4); }",
        &["more than 8 objects of `malloc(4)` are in use, the most that are told apart"],
    );
    check(
        "int k[2]; void *f(void *p) { int *q = malloc(4); *q = *(int *)p; k[*q] = *q + 1; free(q); return 0; } \
         int a, b = 1; int main() { pthread_t t, u; pthread_create(&t, 0, f, &a); pthread_create(&u, 0, f, &b); \
         pthread_join(t, 0); pthread_join(u, 0); }",
        "k=[1, 2]",
    );
}

#[test]
fn memory_has_the_size_that_was_asked_for() {
    check(
        "int k, n = 3; int main() { int *p = malloc(n * sizeof *p); p[n - 1] = 4; k = p[2]; n++; free(p); }",
        "k=4",
    );
    check_failures(
        "int n = 3; int main() { int *p = malloc(n * sizeof *p); p[n] = 4; }",
        &["`p[n]` reaches out of memory of a variable size"],
    );
    check_failures(
        "int n = 100; int main() { int *p = malloc(n * sizeof *p); p[0] = 4; }",
        &[
            "`malloc(n * sizeof *p)` asks for more than 256 bytes, the most that memory of a variable size has",
        ],
    );
    check("int k, n = 3; int main() { int a[n]; a[n - 1] = 2; k = a[2] * 100 + sizeof a; n = 9; }", "k=212");
    check_failures(
        "int n = 3; int main() { int a[n]; a[n] = 2; }",
        &["the index in `a[n]` is outside of `a`, which has a variable length"],
    );
    check_failures(
        "int n = 65; int main() { int a[n]; a[0] = 2; }",
        &["the array `a` has more than 64 elements, the most of a variable length"],
    );
    check_failures("int n; int main() { int a[n]; }", &["the length of the array `a` is not positive"]);
    check(
        "struct s { int n; short a[]; } *g; int k; int main() { g = malloc(sizeof *g + 6); g->n = 1; g->a[2] = 7; \
         k = g->a[2] + g->n; }",
        "k=8",
    );
    check(
        "int k; int main() { char *p = malloc(7); int *q = (int *)p; *q = 258; k = p[0] * 10 + p[1]; }",
        "k=21",
    );
}

#[test]
fn freed_memory_is_not_used_again() {
    check_failures(
        "int main() { int *p = malloc(4); *p = 1; free(p); *p = 2; }",
        &["`*p` uses memory that was freed"],
    );
    check_failures("int main() { int *p = malloc(4); free(p); free(p); }", &["`p` is freed twice"]);
    check_failures(
        "int x; int main() { int *p = &x; free(p); }",
        &["`p` is freed, but it is not the start of allocated memory"],
    );
    check("int k; int main() { int *p = 0; free(p); k = 1; }", "k=1");
    // The second object may lie where the first one was.
    check_failures(
        "int *last; int main() { for (int i = 0; i < 2; i++) { int *p = malloc(4); if (i) *last = 1; last = p; free(p); } }",
        &["`*last` uses memory that was freed"],
    );
}

#[test]
fn the_command_line_is_unknown() {
    check("int k; int main(int argc, char **argv) { k = argc >= 0; }", "k=1");
    check(
        "int k; int main(int argc, char *argv[]) { int n = argc > 1 ? atoi(argv[1]) : 3; k = n - n; }",
        "k=0",
    );
    check("int k; int main() { k = atoi(\"3\"); }", "k=3");
}
