//! What a program does not define, and what is not followed: values that may be anything, and are marked.

use crate::common::{explore, program};
use rely_program::{Approximation, Op, Program};

/// The constructs for which some step chooses a value.
fn approximated(program: &Program) -> Vec<&str> {
    let is_chosen = |known: &&Approximation| {
        let mut ops = program.edges().values().flat_map(|edge| &edge.ops);
        ops.any(|op| matches!(op, Op::Havoc(place, _) if place.var() == known.var))
    };
    program.approximations().iter().filter(is_chosen).map(|known| known.construct.as_str()).collect()
}

/// The messages of the checks that can fail, and the constructs that are not followed.
fn check(text: &str, failures: &[&str], constructs: &[&str]) {
    let program = program(text);
    let runs = explore(&program);
    let found: Vec<&str> = runs.failures.iter().map(String::as_str).collect();
    assert_eq!(found, failures, "{text}");
    let marked = approximated(&program);
    for construct in constructs {
        assert!(marked.iter().any(|known| known.contains(construct)), "{construct} is not marked in {text}");
    }
    assert_eq!(constructs.is_empty(), marked.is_empty(), "{marked:?} in {text}");
}

#[test]
fn functions_that_nobody_defines_change_their_arguments() {
    check(
        "int f(int *); int g; int main(void) { int x = 1; f(&x); assert(g == 0); assert(x == 1); return 0; }",
        &["assertion `x == 1` fails"],
        &["`f`"],
    );
    check("int f(const int *); int main(void) { int x = 1; f(&x); assert(x == 1); return 0; }", &[], &[]);
    check(
        "struct s { int *p; }; void f(struct s *); int x;\n\
         int main(void) { struct s s; s.p = &x; f(&s); assert(x == 0); return 0; }",
        &["assertion `x == 0` fails"],
        &["`f`"],
    );
    let named = program("int f(void); extern int y; int main(void) { return f() + y; }");
    assert_eq!(named.externals(), ["f", "y"]);
    assert!(named.assumptions().contains(&"externals-touch-only-arguments"));
}

#[test]
fn arguments_of_functions_that_nobody_defines_are_evaluated_once() {
    check("int f(int); int g; int main(void) { f(g++); assert(g == 1); return 0; }", &[], &[]);
    // However deep they are nested.
    let (calls, ends) = ("f(".repeat(40), ")".repeat(40));
    let nested = program(&format!("int f(int); int g; int main(void) {{ return {calls}g++{ends}; }}"));
    assert!(nested.edges().len() < 400, "{} edges", nested.edges().len());
}

#[test]
fn inputs_are_not_approximated() {
    check(
        "int rand(void); int main(void) { assert(rand() != 3); return 0; }",
        &["assertion `rand() != 3` fails"],
        &[],
    );
    check(
        "int atoi(const char *); int main(int argc, char **argv) { if (argc > 1) assert(atoi(argv[1]) != 3); return 0; }",
        &["assertion `atoi(argv[1]) != 3` fails"],
        &[],
    );
}

#[test]
fn the_command_line_ends_with_null() {
    check("int main(int argc, char **argv) { assert(argv[argc] == 0); return 0; }", &[], &[]);
    check(
        "int main(int argc, char **argv) { if (argc > 1) { char c = argv[1][0]; assert(c != 1); } return 0; }",
        &["assertion `c != 1` fails"],
        &["memory of the library"],
    );
}

#[test]
fn texts_are_followed_where_they_are_known() {
    check(
        "unsigned long strlen(const char *); int strcmp(const char *, const char *); int atoi(const char *);\n\
         char *strncpy(char *, const char *, unsigned long); int toupper(int);\n\
         char b[8] = \"ab1\"; int main(void) { char c[4]; strncpy(c, b, 4); assert(strlen(c) == 3);\n\
         assert(strcmp(b, c) == 0); assert(strcmp(c, \"ab2\") < 0); assert(atoi(\" -12x\") == -12);\n\
         assert(toupper(c[1]) == 66); return 0; }",
        &[],
        &[],
    );
}

#[test]
fn what_the_library_writes_is_forgotten() {
    check(
        "long read(int, void *, unsigned long); char b[4] = \"abc\";\n\
         int main(void) { read(0, b, 4); assert(b[1] == 98); return 0; }",
        &["assertion `b[1] == 98` fails"],
        &["what the library writes"],
    );
}

#[test]
fn floating_point_numbers_go_both_ways() {
    check(
        "double d = 1.5; int main(void) { d = d * 2; if (d > 1) assert(0); return 0; }",
        &["assertion `0` fails"],
        &["floating-point arithmetic in line 1"],
    );
    check("int main(void) { assert((int)(1.5 * 2) == 3); assert(0.1 + 0.2 != 0.3); return 0; }", &[], &[]);
    check("float f; int x; int main(void) { f += x++; assert(x == 1); return 0; }", &[], &[]);
}

#[test]
fn arguments_without_names_are_known() {
    check(
        "typedef __builtin_va_list va_list;\n\
         int sum(int n, ...) { va_list ap; int s = 0; __builtin_va_start(ap, n);\n\
         while (n-- > 0) s += __builtin_va_arg(ap, int); __builtin_va_end(ap); return s; }\n\
         int main(void) { assert(sum(3, 1, 2, 4) == 7); assert(sum(0) == 0); return 0; }",
        &[],
        &[],
    );
}

#[test]
fn functions_recurse() {
    check(
        "int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }\n\
         int fib(int n) { if (n < 2) return n; int a = fib(n - 1); return a + fib(n - 2); }\n\
         int main(void) { assert(fact(5) == 120); assert(fib(7) == 13); return 0; }",
        &[],
        &[],
    );
}

#[test]
fn threads_have_values_of_their_own() {
    check(
        "typedef unsigned pthread_key_t; typedef unsigned long pthread_t; pthread_key_t k; int gone;\n\
         void end(void *p) { gone = *(int *)p; }\n\
         void *f(void *a) { assert(pthread_getspecific(k) == 0); pthread_setspecific(k, a); return 0; }\n\
         int main(void) { int x = 7, y; pthread_t t; pthread_key_create(&k, end); pthread_setspecific(k, &y);\n\
         pthread_create(&t, 0, f, &x); pthread_join(t, 0); assert(gone == 7);\n\
         assert(pthread_getspecific(k) == &y); return 0; }",
        &[],
        &[],
    );
}
