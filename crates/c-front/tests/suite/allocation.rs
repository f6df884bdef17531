//! Allocated memory, and the command line.

use crate::common::{explore, preprocessed, program, try_translate};

const DECLARATIONS: &str = "typedef unsigned long size_t; void *malloc(size_t); void *calloc(size_t, size_t); \
    void free(void *); void *memset(void *, int, size_t), *memcpy(void *, const void *, size_t); char *strcpy(char *, const char *); int atoi(const char *); typedef unsigned long pthread_t; \
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

fn check_refusal(text: &str, message: &str) {
    match try_translate(&preprocessed(&format!("{DECLARATIONS}{text}"))) {
        Ok((program, _)) => panic!("accepted: {program}"),
        Err(error) => assert!(error.contains(message), "{error}"),
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
    check_refusal("int a[3]; int main() { memset(a, 1, sizeof a); }", "`memset` to anything but zero");
    check_refusal("int a[3]; int main() { memset(a, 0, 7); }", "`memset` of a part of a variable");
    check_refusal(
        "int a[3]; char c[4]; int main() { memcpy(a, c, 4); }",
        "`memcpy` between variables of different types",
    );
    check_refusal("int n; char c[4]; int main() { memset(c, 0, n); }", "`memset` of a variable size");
}

#[test]
fn assumptions_about_memory_are_named() {
    let named = |text: &str| program(&format!("{DECLARATIONS}{text}")).assumptions().to_vec();
    let found = named("int main() { int *p = malloc(4); *p = 1; free(p); }");
    for name in
        ["allocation-and-creation-succeed", "arrays-written-before-read", "pointers-to-live-variables"]
    {
        assert!(found.contains(&name), "{found:?}");
    }
    let found = named(
        "struct s { int a; } x, y, *p = &x; int main() { p = (struct s *)(void *)&y; void *q = p; p = q; }",
    );
    assert!(!found.contains(&"object-addresses"), "{found:?}");
}

#[test]
fn an_unknown_number_of_objects_is_refused() {
    check_refusal(
        "int main() { for (int i = 0; i < 3; i++) malloc(4); }",
        "`malloc` in a loop is not supported",
    );
    check_refusal(
        "int n; int main() { l: malloc(4); if (n) goto l; }",
        "`malloc` in a loop is not supported",
    );
    check_refusal(
        "void *f(void *p) { int *q = malloc(4); return q; } int main() { pthread_t t, u; \
         pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); }",
        "`malloc` in a thread that may run several times is not supported",
    );
    check_refusal(
        "int n; int main() { int *p = malloc(n * 4); }",
        "`malloc` of a variable size is not supported",
    );
    check_refusal(
        "int main() { int *p = malloc(7); }",
        "memory of 7 bytes for elements of type `int` is not supported",
    );
    check_refusal(
        "struct s { int n; } **g; void *v; int main() { v = malloc(4); g = (struct s **)&v; return (*g)->n; }",
        "allocated memory of unknown type",
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
