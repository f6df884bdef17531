//! Inputs that are too large, each in its own way.

use std::fmt::Write;

/// A file and how it is made.
pub struct Input {
    /// The ending says the language.
    pub name: &'static str,
    pub text: fn() -> String,
}

const fn input(name: &'static str, text: fn() -> String) -> Input {
    Input { name, text }
}

const DECLARATIONS: &str = "extern void __VERIFIER_assert(int); extern int __VERIFIER_nondet_int(void);\n\
                            typedef unsigned long pthread_t;\n\
                            typedef struct { int m; } pthread_mutex_t;\n\
                            extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
                            extern int pthread_join(pthread_t, void **);\n";

/// A program with such globals and such a body of `main`.
fn c(globals: &str, body: &str) -> String {
    format!("{DECLARATIONS}{globals}\nint main(void) {{ {body}\n__VERIFIER_assert(1); return 0; }}\n")
}

/// So many pieces, made from their numbers.
fn list(count: usize, separator: &str, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().join(separator)
}

fn nested(depth: usize, open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
}

/// A macro that means itself twice, so often.
fn doubling(times: usize) -> String {
    let mut text = "#define A0 x++;\n".to_owned();
    for level in 1..=times {
        writeln!(text, "#define A{level} A{0} A{0}", level - 1).expect("strings can be written");
    }
    text
}

/// All inputs.
pub const INPUTS: [Input; 56] = [
    input("struct-copy.i", || {
        c("struct S { int a[64][64]; } x, y;", "y = x; __VERIFIER_assert(y.a[1][2] == 0);")
    }),
    input("struct-of-structs.i", || {
        c("struct T { int v, w; }; struct S { struct T t[1000]; } x, y, z;", "y = x; z = y; x = z;")
    }),
    input("struct-by-value.i", || {
        c(
            "struct S { int a[1000]; } x; struct S f(struct S s) { s.a[1]++; return s; }",
            &"x = f(f(x));".repeat(20),
        )
    }),
    input("local-array.i", || c("", "int a[100000]; a[7] = 1; __VERIFIER_assert(a[7] == 1);")),
    input("comma-reads.i", || c("int x;", &format!("{};", list(20_000, ",", |_| "x".into())))),
    input("comma-writes.i", || c("int x;", &format!("{};", list(20_000, ",", |_| "x = x + 1".into())))),
    input("straight-line.i", || c("int x;", &"x = x + 1;\n".repeat(30_000))),
    input("straight-line-of-locals.i", || {
        let body = list(10_000, "\n", |n| {
            format!("int v{n} = {};", if n == 0 { "x".into() } else { format!("v{}", n - 1) })
        });
        c("int x;", &body)
    }),
    input("long-sum.i", || c("int x;", &format!("x = {};", list(1_900, "+", |_| "x".into())))),
    input("long-conjunction.i", || {
        c("int x;", &format!("if ({}) x = 1;", list(900, "&&", |n| format!("x != {n}"))))
    }),
    input("pointers-to-cells.i", || {
        let pointers = list(3_000, ",", |n| format!("&x[{n}]"));
        c(
            &format!("int x[3000]; int *p[3000] = {{ {pointers} }};"),
            "int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 3000) *p[i] = 1;",
        )
    }),
    input("pointers-to-variables.i", || {
        let variables = list(3_000, ",", |n| format!("x{n}"));
        let pointers = list(3_000, ",", |n| format!("&x{n}"));
        c(
            &format!("int {variables}; int *p[3000] = {{ {pointers} }};"),
            "int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 3000) *p[i] = 1;",
        )
    }),
    input("pointer-to-anything.i", || {
        let variables = list(2_000, ",", |n| format!("x{n}"));
        let choices = list(2_000, "", |n| format!("if (__VERIFIER_nondet_int()) p = &x{n};"));
        c(&format!("int {variables}; int *p;"), &format!("p = &x0; {choices} *p = *p + 1;"))
    }),
    input("pointers-to-pointers.i", || {
        let chain = list(60, "", |n| format!("int *{}p{n};", "*".repeat(n)));
        let links = list(59, "", |n| format!("p{} = &p{n};", n + 1));
        c(&format!("int x; {chain}"), &format!("p0 = &x; {links} {}p59 = 1;", "*".repeat(60)))
    }),
    input("switch.i", || {
        let cases = list(20_000, "\n", |n| format!("case {n}: x = {n}; break;"));
        c("int x;", &format!("switch (__VERIFIER_nondet_int()) {{ {cases} }}"))
    }),
    input("switch-falling-through.i", || {
        let cases = list(20_000, "\n", |n| format!("case {n}: x++;"));
        c("int x;", &format!("switch (__VERIFIER_nondet_int()) {{ {cases} }}"))
    }),
    input("switch-of-ranges.i", || {
        c(
            "int x;",
            "switch (__VERIFIER_nondet_int()) { case 0 ... 2000000000: x = 1; break; default: x = 2; }",
        )
    }),
    input("else-if.i", || c("int x;", &list(500, " else ", |n| format!("if (x == {n}) x = {};", n + 1)))),
    input("branches.i", || c("int x;", &"if (__VERIFIER_nondet_int()) x++; else x--;\n".repeat(5_000))),
    input("loops-in-loops.i", || {
        c(
            "int x;",
            "for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) for (int k = 0; k < 100; k++) x++; __VERIFIER_assert(x == 1000000);",
        )
    }),
    input("many-loops.i", || c("int x;", &"for (int i = 0; i < 3; i++) x = x + i;\n".repeat(2_000))),
    input("deep-loops.i", || c("int x;", &nested(120, "while (x < 9) { x++; ", "x = 0;", "}"))),
    input("goto-web.i", || {
        let body = list(300, "\n", |n| {
            let jumps =
                list(10, " ", |m| format!("if (__VERIFIER_nondet_int()) goto l{};", (n * 7 + m * 31) % 300));
            format!("l{n}: x++; {jumps}")
        });
        c("int x;", &body)
    }),
    input("call-tree.i", || {
        let functions = list(40, "\n", |n| match n {
            0 => "int f0(int x) { return x + 1; }".into(),
            _ => format!("int f{n}(int x) {{ return f{0}(x) + f{0}(x + 1); }}", n - 1),
        });
        c(&functions, "int y = f39(1);")
    }),
    input("recursion.i", || c("int f(int n) { return n < 1 ? 0 : f(n - 1) + f(n - 2); }", "int y = f(30);")),
    input("many-functions.i", || {
        let functions = list(20_000, "\n", |n| format!("int f{n}(int x) {{ return x + {n}; }}"));
        c(&functions, "int y = f7(1);")
    }),
    input("initialiser.i", || {
        c(&format!("int a[] = {{ {} }};", list(1_000_000, ",", |n| (n % 10).to_string())), "a[3] = a[4];")
    }),
    input("initialiser-of-structs.i", || {
        c(
            &format!(
                "struct S {{ int v, w; }} a[] = {{ {} }};",
                list(20_000, ",", |n| format!("{{ {n}, 1 }}"))
            ),
            "a[3] = a[4];",
        )
    }),
    input("huge-array.i", || c("int a[2000000000]; char b[1UL << 62];", "a[5] = 1; b[7] = 1;")),
    input("huge-matrix.i", || c("int a[1000][1000][1000];", "a[1][2][3] = 1;")),
    input("huge-allocation.i", || {
        c("extern void *malloc(unsigned long);", "int *p = malloc(1UL << 60); p[3] = 1;")
    }),
    input("huge-copy.i", || {
        c("extern void *memset(void *, int, unsigned long); char a[1 << 20];", "memset(a, 0, sizeof a);")
    }),
    input("long-string.i", || {
        c(&format!("char s[] = \"{}\";", "x".repeat(1 << 20)), "__VERIFIER_assert(s[3] == 'x');")
    }),
    input("long-name.i", || {
        let name = "n".repeat(1 << 20);
        c(&format!("int {name};"), &format!("{name} = 1; __VERIFIER_assert({name} == 1);"))
    }),
    input("long-number.i", || c("int x;", &format!("x = {};", "9".repeat(1 << 20)))),
    input("parentheses.i", || c("int x;", &format!("x = {};", nested(100_000, "(", "1", ")")))),
    input("minus-signs.i", || c("int x;", &format!("x = {}1;", "- ".repeat(100_000)))),
    input("blocks.i", || c("int x;", &nested(100_000, "{", "x = 1;", "}"))),
    input("nested-structs.i", || {
        c(&format!("{} s;", nested(100_000, "struct {", "int x;", "} m;").trim_end_matches(" m;")), "")
    }),
    input("nested-pointers.i", || c(&format!("int {}p;", "*".repeat(100_000)), "")),
    input("many-declarators.i", || {
        c(&format!("int {};", list(100_000, ",", |n| format!("v{n}"))), "v7 = 1;")
    }),
    input("doubling-macros.c", || format!("{}{}", doubling(40), c("int x;", "A40"))),
    input("macros-in-macros.c", || {
        format!("#define F(x) x x\n{}", c("int x;", &nested(60, "F(", "x++;", ")")))
    }),
    input("includes-itself.c", || format!("#include \"includes-itself.c\"\n{}", c("int x;", "x++;"))),
    input("spawns.i", || {
        let spawns = list(1_000, "\n", |n| format!("pthread_create(&t[{n}], 0, w, 0);"));
        c("int x; pthread_t t[1000]; void *w(void *p) { x++; return 0; }", &spawns)
    }),
    input("spawns-in-a-loop.i", || {
        c(
            "int x; pthread_t t[400]; void *w(void *p) { x++; return 0; }",
            "for (int i = 0; i < 400; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < 400; i++) pthread_join(t[i], 0);",
        )
    }),
    input("locks.rely", || {
        let locks = list(2_000, "\n", |n| format!("var m{n}: mutex;"));
        let body = list(2_000, "\n", |n| format!("lock(m{n}); x := x + 1; unlock(m{n});"));
        format!("{locks}\nvar x: int = 0;\nthread A {{ {body} }}\nthread B {{ {body} }}\n")
    }),
    input("threads-600.rely", || "var x: int = 0; thread W[600] { x := x + 1; } ensures x == 600;\n".into()),
    input("threads-1000.rely", || {
        "var x: int = 0; thread W[1000] { x := x + 1; } ensures x == 1000;\n".into()
    }),
    input("threads-10000.rely", || {
        let threads = list(10, "\n", |n| format!("thread W{n}[1000] {{ x := x + 1; }}"));
        format!("var x: int = 0; {threads}\nensures x == 10000;\n")
    }),
    input("threads-with-locals.rely", || {
        "var x: int = 0; thread W[500] { local a: int = 0; a := x; x := a + 1; } ensures x > 0;\n".into()
    }),
    input("different-threads.rely", || {
        let threads = list(1_000, "\n", |n| format!("thread W{n} {{ x := x + {n}; y{n} := x; }}"));
        format!("{}\nvar x: int = 0;\n{threads}\n", list(1_000, "\n", |n| format!("var y{n}: int = 0;")))
    }),
    input("array.rely", || "var a: int[1000000]; thread A { a[3] := 1; assert a[3] == 1; }\n".into()),
    input("huge-array.rely", || "var a: int[100000000000]; thread A { a[3] := 1; }\n".into()),
    input("quantifiers.rely", || {
        "var a: int[1000]; thread A { assert forall i in 0..999: forall j in 0..999: forall k in 0..999: a[i] <= a[j] + a[k]; }\n".into()
    }),
    input("statements.rely", || {
        format!("var x: int = 0; thread A {{ {} }}\n", "x := x + 1;\n".repeat(50_000))
    }),
];
