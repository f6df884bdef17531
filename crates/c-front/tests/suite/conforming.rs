//! Initializers, sizes, conversions and constants, each as small as it can be: what gcc makes of
//! them stands beside them. The generators of `differential` try their combinations.

use crate::common::{explore, program};
use std::collections::BTreeSet;

/// The values that `r` can end with, and what can fail.
fn results(declarations: &str, body: &str) -> (Vec<String>, BTreeSet<String>) {
    let text = format!("long r; {declarations} int main(void) {{ {body} return 0; }}");
    let runs = explore(&program(&text));
    let value = |end: &String| end.split(' ').find_map(|field| field.strip_prefix("r=").map(str::to_owned));
    (runs.ends.iter().filter_map(value).collect::<BTreeSet<_>>().into_iter().collect(), runs.failures)
}

/// What is declared and done leaves this value in `r`.
fn check(declarations: &str, body: &str, result: i128) {
    let (found, failures) = results(declarations, body);
    assert!(failures.is_empty(), "{failures:?} in {declarations} {body}");
    assert_eq!(found, [result.to_string()], "{declarations} {body}");
}

/// An expression has this value.
fn check_value(expression: &str, result: i128) {
    check("int a[3]; char c;", &format!("r = {expression};"), result);
}

#[test]
fn initializers() {
    check("unsigned char g[2] = \"\\xff\";", "r = g[0];", 255);
    check("char g[2] = \"\\xff\";", "r = g[0];", -1);
    check("char g[4] = {\"abc\"};", "r = g[1];", 98);
    check("struct { char *n[2]; int k; } g = {\"a\", \"b\", 7};", "r = g.k + *g.n[1];", 105);
    check("int g[] = L\"a\" \"b\";", "r = sizeof(g) + g[1];", 110);
    check("unsigned short g[] = u\"\\xffff\";", "r = g[0];", 65_535);
    check(
        "struct s { struct { int x, y; } a; int b; };",
        "struct s v = {.a.x = 1, 2, 3}; r = v.a.y * 10 + v.b;",
        23,
    );
    check("struct s { struct { int x; }; int y; };", "struct s v = {.x = 1, 2}; r = v.x * 10 + v.y;", 12);
    check(
        "struct s { int x, y; };",
        "struct s v[2] = {{1, 2}, [0] = {.x = 3}}; r = v[0].x * 10 + v[0].y;",
        30,
    );
    check("struct s { int x, y; };", "struct s v[2] = {{1, 2}, [0].x = 3}; r = v[0].x * 10 + v[0].y;", 32);
    check("struct s { int x, y; };", "struct s v[2] = {{1, 2}, [0] = 3}; r = v[0].x * 10 + v[0].y;", 32);
    check(
        "int n; int f(void) { return ++n; }",
        "int v[4] = {[0 ... 2] = f(), 9}; r = n * 1000 + v[2] * 100 + v[3];",
        1109,
    );
    check("int n; int f(void) { return ++n; }", "int v[2] = {f(), [0] = 5}; r = n * 10 + v[0];", 5);
    check("int g[] = {[4] = 1, [1] = 2};", "r = sizeof(g);", 20);
    check("int g[][2] = {{}, {1}, {}};", "r = sizeof(g);", 24);
    check("int g[2][2] = {1, 2, 3};", "r = g[1][0] * 10 + g[1][1];", 30);
}

#[test]
fn sizes() {
    for (expression, size) in [
        ("sizeof(a)", 12),
        ("sizeof((a))", 12),
        ("sizeof((0, a))", 8),
        ("sizeof(a + 0)", 8),
        ("sizeof(1 ? a : 0)", 8),
        ("sizeof(\"abc\")", 4),
        ("sizeof(L\"abc\")", 16),
        ("sizeof((0, \"abc\"))", 8),
        ("sizeof(__func__)", 5),
        ("sizeof((0, c))", 1),
        ("sizeof(+c)", 4),
        ("sizeof(float) + sizeof(double) * 10 + sizeof(long double) * 100", 1684),
        ("sizeof(enum __attribute__((packed)) { A = 200 })", 1),
        ("sizeof(struct { char c; int x; } __attribute__((packed)))", 5),
        ("sizeof(struct { char c; _Alignas(16) int x; })", 32),
        ("_Alignof(struct { char c; long x; })", 8),
        ("sizeof(union { char c[5]; int x; })", 8),
        ("__builtin_offsetof(union { char c; struct { int x, y; } s; }, s.y)", 4),
        ("sizeof(struct { int x : 3; int y : 30; })", 8),
    ] {
        check_value(expression, size);
    }
    check("_Static_assert(sizeof(long) == 8); struct s { _Static_assert(1, \"\"); int x; };", "r = 1;", 1);
}

#[test]
fn packed_structures_can_be_used() {
    check(
        "struct __attribute__((packed)) s { char c; int x; } g = {1, 2};",
        "struct s *p = &g; p->x += 5; struct s h = g; r = h.x * 10 + h.c;",
        71,
    );
    check(
        "\n#pragma pack(push, 1)\nstruct s { char c; long x; };\n#pragma pack(pop)\n",
        "r = sizeof(struct s);",
        9,
    );
}

#[test]
fn constants() {
    for (expression, value) in [
        ("'\\''", 39),
        ("'\\e'", 27),
        ("'\\xff'", -1),
        ("'ab'", 24_930),
        ("u'\\xffff'", 65_535),
        ("\"\\e\\'\"[1]", 39),
        ("sizeof('a')", 4),
        ("-1 >> 1", -1),
    ] {
        check_value(expression, value);
    }
}

#[test]
fn arguments_are_converted() {
    check("int abs(int); long labs(long);", "r = abs(0x1fffffffbL);", 5);
    check("int abs(int); long labs(long);", "r = labs(-2147483648L);", 2_147_483_648);
    check("int abs(int); long labs(long);", "r = sizeof(labs(1)) * 10 + sizeof(abs(1L));", 84);
    check("void __VERIFIER_assume(int);", "r = 1; __VERIFIER_assume(0x100000001L); r = 2;", 2);
    let (ends, _) = results("void __VERIFIER_assume(int);", "__VERIFIER_assume(0x100000000L);");
    assert!(ends.is_empty(), "{ends:?}");
}

#[test]
fn labels_are_converted() {
    let check = |ty: &str, labels: &str, expected: &[&str]| {
        let declared = format!("{ty} __VERIFIER_nondet_{ty}(void);").replace("uchar _", "unsigned char _");
        let declared = declared.replace("ulong _", "unsigned long _").replace("bool _", "_Bool _");
        let (found, _) = results(&declared, &format!("switch (__VERIFIER_nondet_{ty}()) {{ {labels} }}"));
        assert_eq!(found, expected, "{ty}: {labels}");
    };
    check("short", "case 70000: r = 1;", &["0"]);
    check("short", "case -32768 ... 32767: r = 1;", &["1"]);
    check("short", "case 3: r = 1; break; default: r = 2;", &["1", "2"]);
    check("uchar", "case 300: case -1: r = 1;", &["0"]);
    check("bool", "case 2: r = 1;", &["0"]);
    check("bool", "case 0: case 1: r = 1;", &["1"]);
    check("ulong", "case 0x100000001: r = 1; break; case 1: r = 2;", &["0", "1", "2"]);
    check("int", "case 0x100000001: r = 1;", &["0", "1"]);
}

#[test]
fn overflows() {
    let check = |body: &str, result: &[&str], failures: &[&str]| {
        let (found, failed) = results("int abs(int); int z, one = 1, min = -2147483647 - 1;", body);
        assert_eq!(found, result, "{body}");
        assert_eq!(failed.iter().map(String::as_str).collect::<Vec<_>>(), failures, "{body}");
    };
    check("r = min % -one;", &[], &["signed overflow in `min % -one`"]);
    check("r = min % (one + 1);", &["0"], &[]);
    check("r = abs(min);", &[], &["signed overflow in `abs(min)`"]);
    // What gcc defines goes on, but is told.
    check("r = -one << 3;", &["-8"], &["left shift out of range in `-one << 3`"]);
    check("r = one << 31;", &["-2147483648"], &["left shift out of range in `one << 31`"]);
    check("r = one << 30;", &["1073741824"], &[]);
    check("r = 3u << 31;", &["2147483648"], &[]);
    check("r = one << 32;", &[], &["impossible shift in `one << 32`"]);
    check("r = 1u << -one;", &[], &["impossible shift in `1u << -one`"]);
    check("static int x = 1 << 31; enum { A = -1 << 2 }; r = x == min && A == -4;", &["1"], &[]);
}

#[test]
fn legal_but_unusual() {
    check(
        "typedef struct node node; struct node { node *next; int v; }; node n;",
        "n.v = 3; n.next = &n; r = n.next->next->v;",
        3,
    );
    check(
        "struct a { struct b *p; int x; }; struct b { struct a a; }; struct b b;",
        "b.a.p = &b; b.a.p->a.x = 4; r = b.a.x;",
        4,
    );
    check(
        "typedef struct list list; struct pair { list *l; }; struct list { struct pair p[2]; }; ",
        "r = sizeof(list);",
        16,
    );
    check(
        "struct unused { _Complex double z; }; struct user { struct unused *p; };",
        "r = sizeof(struct user);",
        8,
    );
    check("int n; int f(void) { n++; return 5; }", "r = (f() ?: 7) * 100 + (0 ?: 9) * 10 + n;", 591);
    check("int *p, x = 8;", "r = *(p ?: &x);", 8);
    check("static x = 3; f(a) int a; { return a + 1; }", "register i = 2; r = f(x) * 10 + i;", 42);
    check("int gr\\u00f6\\u00dfe = 3, _ä = 4;", "r = gr\\u00f6\\u00dfe * 10 + _ä;", 34);
    check("struct s { __int128 wide; int x; } s;", "s.x = 5; r = sizeof(s) * 10 + s.x;", 325);
}
