//! Attributes: those that change what a program does are handled, or refused by name.

use crate::common::{explore, preprocessed, program, try_translate};

/// The program ends, in all its runs, with `r` having one of these values.
fn check(text: &str, results: &[i128]) {
    let runs = explore(&program(text));
    assert!(runs.failures.is_empty(), "{:?}\n{text}", runs.failures);
    let mut found: Vec<i128> = runs
        .ends
        .iter()
        .map(|end| {
            let shown = end.split(' ').find_map(|field| field.strip_prefix("r="));
            shown.and_then(|shown| shown.parse().ok()).expect("r is a number")
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, results, "{text}");
}

/// The program is refused with an error that contains this.
fn refused(text: &str, expected: &str) {
    match try_translate(&preprocessed(text)) {
        Ok(_) => panic!("accepted instead of `{expected}`\n{text}"),
        Err(error) => assert!(error.contains(expected), "{error}\ninstead of `{expected}`\n{text}"),
    }
}

/// Each function adds a digit to `r`.
fn digits(functions: &[(&str, u32)], main: &str) -> String {
    let mut text = String::from("int r; void exit(int); void _exit(int);\n");
    for (attributes, digit) in functions {
        text.push_str(&format!(
            "__attribute__(({attributes})) void f{digit}(void) {{ r = r * 10 + {digit}; }}\n"
        ));
    }
    text + &format!("int main(void) {{ {main} }}")
}

#[test]
fn constructors_run_before_main() {
    // The order is that of gcc's programs.
    let functions = [
        ("constructor", 1),
        ("__constructor__(200)", 2),
        ("constructor(101)", 3),
        ("constructor(65535)", 4),
        ("constructor, noinline", 5),
        ("constructor(101)", 6),
    ];
    check(&digits(&functions, "r = r * 10 + 9; return 0;"), &[3_621_459]);
    check(
        "int r; void f(void) __attribute__((constructor)); int main(void) { return 0; } void f(void) { r = 3; }",
        &[3],
    );
    check(
        "int r; static void __attribute__((constructor)) f(void) { if (r) return; r = 4; } int main(void) { r++; }",
        &[5],
    );
}

#[test]
fn destructors_run_when_the_program_ends() {
    let functions = [
        ("destructor", 1),
        ("destructor", 2),
        ("destructor(200)", 3),
        ("destructor(101)", 4),
        ("destructor(101)", 5),
        ("constructor, destructor", 6),
    ];
    check(&digits(&functions, "r = r * 10 + 9; return 0;"), &[69_621_354]);
    check(&digits(&functions, "r = r * 10 + 9;"), &[69_621_354]);
    check(&digits(&functions, "exit(1); return 0;"), &[6_621_354]);
    check(&digits(&functions, "_exit(1); return 0;"), &[6]);
    // A thread that calls `exit` runs them, too.
    let threads = "typedef unsigned long pthread_t;
        int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
        void pthread_exit(void *); void exit(int); int r;
        __attribute__((destructor)) void done(void) { r += 10; }
        void *run(void *v) { r = 1; exit(0); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, run, 0); END }";
    check(&threads.replace("END", "pthread_join(h, 0); r = 5; return 0;"), &[11]);
    refused(&threads.replace("END", "pthread_exit(0);"), "the attribute `destructor` if `main` ends before");
}

/// Programs whose meaning an attribute, a name for the assembler or a part of the library changes, and what is said
/// of them.
const CHANGED_MEANINGS: &[(&str, &str)] = &[
    ("int x; extern int y __attribute__((alias(\"x\"))); int main(void) { y = 1; }", "`alias`"),
    (
        "int f(void) __attribute__((weak)); int main(void) { return f != 0; }",
        "`f`, which is weak and not defined,",
    ),
    (
        "extern __attribute__((weak)) int x; int main(void) { return &x != 0; }",
        "`x`, which is weak and not defined,",
    ),
    ("void c(int *p) {} int main(void) { __attribute__((cleanup(c))) int x = 1; return x; }", "`cleanup`"),
    ("void c(int *p) {} int main(void) { int x __attribute__((cleanup(c))) = 1; return x; }", "`cleanup`"),
    ("typedef int v __attribute__((vector_size(16))); v x; int main(void) { x; }", "`vector_size`"),
    (
        "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int a; } x; int main(void) { return x.a; }",
        "`scalar_storage_order`",
    ),
    (
        "struct s { int a; } __attribute__((scalar_storage_order(\"big-endian\"))); struct s x; \
      int main(void) { return x.a; }",
        "`scalar_storage_order`",
    ),
    ("int f(int a __attribute__((mode(DI)))) { return a; } int main(void) { return f(1); }", "`mode`"),
    ("struct s { int a __attribute__((mode(DI))); } x; int main(void) { return x.a; }", "`mode`"),
    (
        "int x __attribute__((no_such_thing)); int main(void) { return x; }",
        "unknown attribute `no_such_thing`",
    ),
    ("int main(void) { int x = 0; __attribute__((assume(x == 1))); return x; }", "the attribute `assume`"),
    ("int x __asm__(\"y\"); int main(void) { return x; }", "a name for the assembler"),
    (
        "int f(void) __asm__(\"g\"); int f(void) { return 1; } int main(void) { return f(); }",
        "a name for the assembler",
    ),
    ("int main(void) { register int x __asm__(\"rax\") = 1; return x; }", "a name for the assembler"),
    ("__attribute__((constructor)) void f(int x) {} int main(void) { }", "with parameters"),
    ("int atexit(void (*)(void)); void f(void) {} int main(void) { atexit(f); }", "`atexit`"),
    ("int printf(const char *, ...); int main(void) { int x = 0; printf(\"a%n\", &x); return x; }", "`%n`"),
    (
        "int printf(const char *, ...); int main(void) { long x = 0; printf(\"%%%5ln\", &x); return x; }",
        "`%n`",
    ),
    (
        "int printf(const char *, ...); char f[9]; int main(void) { int x = 0; printf(f, &x); return x; }",
        "a format that is computed",
    ),
    ("int main(void) { __asm__(\"cli\"); return 0; }", "inline assembly without operands"),
];

#[test]
fn attributes_that_change_the_meaning_are_refused() {
    for (text, expected) in CHANGED_MEANINGS {
        refused(text, expected);
    }
}

#[test]
fn attributes_without_a_meaning_are_taken() {
    let table = [
        "int r; __attribute__((noinline, unused)) static int f(void) { return 1; } int main(void) { r = f(); }",
        "int r __attribute__((section(\"s\"), aligned(64))); int main(void) { r = 1; }",
        "int r; struct __attribute__((may_alias)) s { int a; } x; int main(void) { x.a = 1; r = x.a; }",
        "int r; int main(void) { int k = 1; switch (k) { case 1: r = 1; __attribute__((fallthrough)); case 2: ; } }",
        "int r; typedef int t __attribute__((mode(DI))); int main(void) { r = sizeof(t) == 8; }",
        "int r; int printf(const char *, ...); int main(void) { printf(\"%%n \\033[0m %d\\n\", r); r = 1; }",
        "int r; int main(void) { __asm__ volatile(\"\" ::: \"memory\"); r = 1; }",
        "int r; int main(void) { __asm__ volatile(\"\" :: \"r\"(r++) : \"memory\"); }",
        "int r; extern int never(void) __attribute__((weak)); int main(void) { r = 1; }",
    ];
    for text in table {
        check(text, &[1]);
    }
}

#[test]
fn tags_inside_of_functions_are_there_in_each_call() {
    let table = [
        "enum { A = 1, B } e = B; return e + v;",
        "enum k { A = 1, B }; enum k e = B; return e + v;",
        "struct s { enum k { A = 1, B } e; } x; x.e = B; return x.e + v;",
        "struct s { struct i { enum { A, B = 2 } e; } in; } x; struct i y = { B }; x.in = y; return x.in.e + v;",
        "typedef struct { enum { A = 2 } e; int f; } t; t x = { A, v }; return x.e + x.f;",
        "union u { int a; } *p = 0; struct n { struct n *next; enum { Q = 2 } q; } z = { 0, Q }; return z.q + v;",
        "int z = sizeof(struct q { enum { Z = 2 } e; }) / 2; return Z + v + z - 2;",
        "struct s { int a; }; { struct s { enum { A = 2 } a; } x = { A }; struct s y = x; return y.a + v; }",
    ];
    for body in table {
        check(
            &format!("int r; int f(int v) {{ {body} }} int main(void) {{ r = f(1); r = r * 10 + f(3); }}"),
            &[35],
        );
        // A pointer that is stored makes the program be walked over again.
        check(
            &format!(
                "int r, *p; int f(int v) {{ {body} }} int main(void) {{ p = &r; *p = f(1); *p = *p * 10 + f(3); p = 0; }}"
            ),
            &[35],
        );
    }
}
