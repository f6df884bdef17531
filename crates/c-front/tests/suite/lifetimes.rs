//! Addresses of local variables: whoever keeps one for longer than the variable may live is taken not to use it then.

use crate::common::program;

const PRELUDE: &str = "typedef unsigned long pthread_t; int x, *p; \
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **); \
    void pthread_exit(void *); void *f(void *a) { *(int *)a = 1; return 0; }";

fn check(text: &str, is_assumed: bool) {
    let program = program(&format!("{PRELUDE} {text}"));
    assert_eq!(program.assumptions().contains(&"pointers-to-live-variables"), is_assumed, "{text}");
}

#[test]
fn variables_of_functions_and_blocks_may_be_gone() {
    check("int *g(void) { int v = 5; return &v; } int main() { return *g(); }", true);
    check("int *g(int c) { int v = 5; if (c) return &v; return &x; } int main() { return *g(x); }", true);
    check("void g(void) { int v; p = &v; } int main() { g(); *p = 1; }", true);
    check("int main() { { int v; p = &v; } *p = 1; }", true);
    check(
        "void g(pthread_t *t) { int v = 0; pthread_create(t, 0, f, &v); } \
         int main() { pthread_t t; g(&t); pthread_join(t, 0); }",
        true,
    );
    check(
        "int main() { pthread_t t; { int v = 0; pthread_create(&t, 0, f, &v); } pthread_join(t, 0); }",
        true,
    );
}

#[test]
fn variables_of_threads_may_be_gone_when_they_are_joined() {
    check(
        "void *g(void *a) { int v = 5; return &v; } \
         int main() { pthread_t t; void *r; pthread_create(&t, 0, g, 0); pthread_join(t, &r); x = *(int *)r; }",
        true,
    );
}

#[test]
fn variables_of_main_live_as_long_as_the_program() {
    check("int main() { int v = 0; pthread_t t; pthread_create(&t, 0, f, &v); pthread_join(t, 0); }", false);
    check("int main() { int v = 0; p = &v; *p = 1; }", false);
    // Unless it goes and leaves threads behind.
    check("int main() { int v = 0; pthread_t t; pthread_create(&t, 0, f, &v); pthread_exit(0); }", true);
}
