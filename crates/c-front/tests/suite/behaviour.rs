//! What sequential programs compute, by running them: statements, functions, structures.

use crate::common::{explore, program};

/// The program, whose globals start with a result `r`, ends with `r` having this value and
/// fails no check.
fn check(text: &str, result: i128) {
    let runs = explore(&program(text));
    assert!(runs.failures.is_empty(), "{:?}\n{text}", runs.failures);
    let ends: Vec<&String> = runs.ends.iter().collect();
    assert_eq!(ends.len(), 1, "{ends:?}\n{text}");
    let shown = format!("r={result}");
    assert!(ends[0].split(' ').any(|field| field == shown), "{} instead of {shown}\n{text}", ends[0]);
}

/// The statements, run in `main`, leave this value in `r`.
fn check_body(body: &str, result: i128) {
    check(&format!("int r; int main(void) {{ {body} return 0; }}"), result);
}

#[test]
fn loops_and_jumps() {
    check_body("for (int i = 0; i < 5; i++) r += i;", 10);
    check_body("int i = 0; while (i < 5) { i++; if (i == 2) continue; if (i == 4) break; r += i; }", 4);
    check_body("int i = 0; do { r += 2; } while (++i < 3);", 6);
    check_body("int i = 0; again: r++; if (++i < 4) goto again;", 4);
    check_body("for (;;) { if (++r == 3) break; }", 3);
    check_body("int i; for (i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { if (j == 2) break; r++; }", 6);
    check_body("goto in; while (r < 3) { in: r++; }", 3);
    check_body("goto in; do { r += 10; in: r++; } while (r < 5);", 12);
    check_body("goto end; r = 5; end: ;", 0);
    check_body("if (0) { inside: r = 7; goto out; } goto inside; out: r++;", 8);
}

#[test]
fn switches() {
    let switch = |value: i32| {
        format!(
            "switch ({value}) {{ case 1: r += 1; case 2: r += 2; break; default: r += 100; case 3: \
             r += 3; break; case 4 ... 6: r += 4; }}"
        )
    };
    for (value, result) in [(1, 3), (2, 2), (3, 3), (5, 4), (9, 103)] {
        check_body(&switch(value), result);
        check_body(
            &format!("int v = {value}; {}", switch(value).replace(&format!("({value})"), "(v)")),
            result,
        );
    }
    check_body("switch (2) { case 1: r = 1; }", 0);
    check_body("switch (1) { int x; case 1: x = 4; r = x; }", 4);
    check_body("switch (3) { case 1: while (r < 10) { r++; case 3: r += 5; } }", 11);
    check_body(
        "int n = 5; switch (n % 4) { case 0: do { r++; case 3: r++; case 2: r++; case 1: r++; } \
        while ((n -= 4) > 0); }",
        5,
    );
    check_body("unsigned char c = 255; switch (c) { case -1: r = 1; break; case 255: r = 2; }", 2);
}

#[test]
fn expressions_with_side_effects() {
    check_body("int i = 3; r = i++ * 10; r += i;", 34);
    check_body("int i = 3; r = --i * 10 + i--;", 22);
    check_body("int i = 1, j; j = i = 4; r = i + j;", 8);
    check_body("r = (1, 2, 3);", 3);
    check_body("int i = 0; r = (i++, i++, i);", 2);
    check_body("int i = 0; if (i++ || i++) r = i;", 2);
    check_body("int i = 1; if (i++ || i++) r = i;", 2);
    check_body("int i = 1; r = i ? i++ ? 10 : 20 : 30; r += i;", 12);
    check_body("int a[3] = {1, 2, 3}, i = 0; a[i++] = 9; r = a[0] + i;", 10);
    check_body("int a[3] = {1, 2, 3}, i = 0; a[i++] += 5; r = a[0] * 10 + i;", 61);
    check_body("int x = 5; r = ({ int x = 7; x + 1; }) + x;", 13);
    check_body("r = ({ for (int i = 0; i < 4; i++) r++; r; }) + 1;", 5);
    check_body("r = sizeof(int) + sizeof r + sizeof(long[3]) + sizeof(char);", 33);
    check_body("int i = 4; (void)sizeof(i++); r = i;", 4);
    check_body("r = !!5 + !0 + ~0 + -(-3);", 4);
}

#[test]
fn conversions() {
    check_body("unsigned char c = 300; r = c;", 44);
    check_body("signed char c = 200; r = c;", -56);
    check_body("char c = 128; r = c;", -128);
    check_body("_Bool b = 256; r = b + b;", 2);
    check_body("unsigned u = -1; r = u > 0;", 1);
    check_body("int i = -1; r = i < 1u;", 0);
    check_body("unsigned short s = 65535; s++; r = s;", 0);
    check_body("unsigned u = 0; u--; r = u == 4294967295u;", 1);
    check_body("long l = 1L << 40; r = (int)(l >> 38);", 4);
    check_body("r = (short)70000;", 4464);
    check_body("enum e { A, B = 5, C } e = C; r = e + A;", 6);
    check_body("enum { N = 3 }; int a[N]; r = sizeof a / sizeof a[0];", 3);
    check_body("r = 'a' + '\\n' + '\\x10' + '\\0';", 123);
    check_body("r = -7 / 2 * 100 + -7 % 2;", -301);
    check_body("r = -8 >> 1;", -4);
    check_body("unsigned char c = 1; c = ~c; r = c;", 254);
    check_body("r = 0x10 + 010 + 0b11;", 27);
    check_body("r = _Generic(1L, int: 1, long: 2, default: 3);", 2);
    check_body("unsigned char c; r = c = 300;", 44);
    check_body("_Bool b; r = (b = 7) + 1;", 2);
    check_body("char c = 127; r = ++c;", -128);
    check_body("unsigned char c = 0; r = c--; r = r * 1000 + c;", 255);
}

#[test]
fn functions() {
    check("int r; int f(int a, int b) { return a * 10 + b; } int main() { r = f(1, 2); }", 12);
    check("int r; int f(int a, int b) { return a * 10 + b; } int main() { r = f(f(1, 2), f(3, 4)); }", 154);
    check("int r; int f(int a) { a++; return a; } int main() { r = f(1) + f(10); }", 13);
    check("int r; int f(int a) { if (a > 1) return 5; return 6; } int main() { r = f(1) * 10 + f(2); }", 65);
    check("int r; void f(int *p) { *p = 7; } int main() { f(&r); }", 7);
    check(
        "int r; int f(int *p, int n) { for (int i = 0; i < n; i++) *p += i; return *p; } \
        int main() { int x = 1; r = f(&x, 4) + x; }",
        14,
    );
    check(
        "int r; static int n; int next() { static int k = 3; return ++k; } int main() { next(); r = next(); }",
        5,
    );
    check("int r; int f() { return 4; } int g(void) { return f() + 1; } int main() { r = g() + f(); }", 9);
    check("int r; int old(a, b) int a; long b; { return a - b; } int main() { r = old(5, 3); }", 2);
    check("int r; unsigned char narrow(int x) { return x; } int main() { r = narrow(257); }", 1);
    check(
        "int r; int f(int); int g(int x) { return f(x) + 1; } int f(int x) { return x * 2; } \
        int main() { r = g(4); }",
        9,
    );
    check(
        "int r; inline static int twice(int x) { return x + x; } int main(void) { r = twice(twice(3)); }",
        12,
    );
    check("int r; void f(void) { for (;;) { if (r > 2) return; r++; } } int main() { f(); }", 3);
}

#[test]
fn structures() {
    check(
        "int r; struct s { int a; char b[3]; } x = { 1, { 2, 3 } }; int main() { r = x.a + x.b[1] + x.b[2]; }",
        4,
    );
    check(
        "int r; struct s { int a, b; }; int main() { struct s x = { .b = 2 }, y; y = x; y.a++; r = y.a * 10 + y.b + x.a; }",
        12,
    );
    check("int r; struct s { int a; struct { int b; }; } x; int main() { x.b = 4; r = x.b; }", 4);
    check(
        "int r; struct in { int v; }; struct out { struct in i[2]; } o; \
        int main() { o.i[1].v = 6; struct in *p = &o.i[1]; r = p->v; }",
        6,
    );
    check(
        "int r; struct s { int a, b; }; struct s make(int a) { struct s x = { a, a + 1 }; return x; } \
        int main() { r = make(3).b; struct s y = make(5); r += y.a; }",
        9,
    );
    check(
        "int r; struct s { int a; } x = { 3 }; int f(struct s y) { y.a++; return y.a; } \
        int main() { r = f(x) * 10 + x.a; }",
        43,
    );
    check(
        "int r; struct n { int v; struct n *next; } b = { 2, 0 }, a = { 1, &b }; \
        int main() { for (struct n *p = &a; p; p = p->next) r += p->v; }",
        3,
    );
    check(
        "int r; typedef struct { int x; } T; T t[2] = { { 1 }, { 2 } }; int main() { T *p = t; p++; r = p->x; }",
        2,
    );
    check(
        "int r; struct s { int v[1]; } a[3]; int main() { int i = 2, j = 0; a[i].v[j] = 6; r = a[2].v[0]; }",
        6,
    );
}

#[test]
fn arrays() {
    check(
        "int r; int m[2][3] = { { 1, 2 }, { 3, 4, 5 } }; int main() { for (int i = 0; i < 2; i++) \
        for (int j = 0; j < 3; j++) r += m[i][j] * (i + 1); }",
        27,
    );
    check(
        "int r; int a[] = { [3] = 7, 8, [0] = 1 }; int main() { r = sizeof a / sizeof *a * 100 + a[0] + a[3] + a[4]; }",
        516,
    );
    check("int r; int a[5] = { [1 ... 3] = 2 }; int main() { r = a[0] + a[1] + a[2] + a[3] + a[4]; }", 6);
    check("int r; char s[] = \"hey\"; int main() { r = sizeof s + s[0] - 'h' + s[3]; }", 4);
    check("int r; int main() { int *p = (int[]){ 4, 5 }; r = p[1]; }", 5);
    check(
        "int r; const int N = 3; int a[3]; int main() { const int k = N; for (int i = 0; i < k; i++) a[i] = i; r = a[2]; }",
        2,
    );
    check(
        "int r; int m[3][1] = { { 1 }, { 2 }, { 3 } }; int main() { for (int i = 0; i < 3; i++) r += m[i][0] * i; }",
        8,
    );
    check("int r; char c[2][3]; int main() { int i = 1, j = 2; c[i][j] = 5; r = c[1][2] + c[0][2]; }", 5);
    check("int x; int x = 4; extern int x; int r; int main() { r = x; }", 4);
}

#[test]
fn atomic_operations() {
    check("int r; _Atomic int x = 3; int main() { r = x++ * 10 + x; x += 2; r += x; }", 40);
    check(
        "int r; int x = 5; int main() { r = __sync_fetch_and_add(&x, 2) * 10 + __sync_sub_and_fetch(&x, 3); }",
        54,
    );
    check("int r; int x = 1; int main() { r = __sync_bool_compare_and_swap(&x, 1, 7); r = r * 10 + x; }", 17);
    check("int r; int x = 1; int main() { r = __sync_val_compare_and_swap(&x, 2, 7) * 10 + x; }", 11);
    check(
        "int r, x = 1; int main() { int e = 5; r = __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5); \
        r += e * 10 + x * 100; }",
        110,
    );
    check("int r, x = 1; int main() { r = __atomic_exchange_n(&x, 4, 5) + x * 10; }", 41);
    check("int r, x = 6; int main() { r = __atomic_nand_fetch(&x, 3, 5); }", -3);
    check(
        "int r; _Bool l; int main() { r = __atomic_test_and_set(&l, 5) + __atomic_test_and_set(&l, 5); \
        __atomic_clear(&l, 5); r += l; }",
        1,
    );
    check("int r; unsigned char x = 255; int main() { __atomic_add_fetch(&x, 2, 5); r = x; }", 1);
    check("int r; _Atomic int x = 7; int main() { x /= 2; x <<= 1; r = x; }", 6);
    check("int r; _Atomic int x = 2147483647; int main() { x++; r = x < 0; }", 1);
    check(
        "int r, x; int main() { int v; __atomic_store_n(&x, 3, 0); __atomic_load(&x, &v, 0); \
        r = v + __atomic_load_n(&x, 2); }",
        6,
    );
}

#[test]
fn undefined_behaviour_is_checked() {
    let fails = |text: &str, message: &str| {
        let runs = explore(&program(text));
        assert_eq!(runs.failures.iter().map(String::as_str).collect::<Vec<_>>(), [message], "{text}");
        assert!(runs.ends.is_empty());
    };
    fails("int z; int main() { return 1 / z; }", "the divisor is zero in `1 / z`");
    fails(
        "int i = 3, a[3]; int main() { a[i] = 1; }",
        "the index in `a[i]` is outside of `a`, which has 3 elements",
    );
    fails(
        "int a[3]; int main() { return a[-1]; }",
        "the index in `a[-1]` is outside of `a`, which has 3 elements",
    );
    fails("int i = 40; int main() { return 1 << i; }", "impossible shift in `1 << i`");
    fails("int i = 2147483647; int main() { i++; }", "signed overflow in `i++`");
    fails("int i = -2147483648; int main() { return i / -1; }", "signed overflow in `i / -1`");
    fails("int i = -2147483648; int main() { return -i; }", "signed overflow in `-i`");
    fails("int *p; int main() { *p = 1; }", "`*p` accesses memory that is not there");
    fails("void (*f)(void); int main() { f(); }", "`f()` calls no function");
    fails(
        "unsigned long t; int pthread_join(); int main() { pthread_join(t, 0); }",
        "`pthread_join(t, 0)` joins no thread",
    );
}

#[test]
fn results_of_calls_do_not_get_mixed_up() {
    let make = "int r; struct s { int a, b; }; struct s make(int a) { struct s x = { a, a + 1 }; return x; } \
        int sum(struct s x, struct s y) { return x.a * 100 + y.b; } ";
    check(&format!("{make} int main() {{ r = sum(make(1), make(5)); }}"), 106);
    check(&format!("{make} int main() {{ r = make(1).a * 10 + make(2).b; }}"), 13);
    check(
        "int r; int k; int next(void) { return ++k; } int main() { r = next() * 100 + next() * 10 + next(); }",
        123,
    );
    check(
        "int r; int f(int x) { return x * 2; } int main() { int a[3] = { f(1), f(2), f(3) }; \
        r = a[0] * 100 + a[1] * 10 + a[f(1)]; }",
        246,
    );
    check(
        "int r; int id(int x) { return x; } int sub(int a, int b) { return a - b; } \
        int main() { r = sub(id(9), sub(id(5), id(2))); }",
        6,
    );
    check(
        "int r; int g(int c) { return c ? 1 : 0; } int main() { r = g(0) ? g(1) ? 1 : 2 : g(1) ? 3 : 4; }",
        3,
    );
}

#[test]
fn any_value_is_one_of_the_variable() {
    let text = "int __VERIFIER_nondet_int(); unsigned x; int k; \
                int main() { *(int *)&x = __VERIFIER_nondet_int(); k = x >= 0; }";
    let runs = explore(&program(text));
    assert!(!runs.ends.is_empty());
    assert!(runs.ends.iter().all(|end| !end.contains("x=-")), "{:?}", runs.ends);
}

#[test]
fn long_chains_of_conditions_take_no_time() {
    let chain: String = (0..60).map(|index| format!("x == {index} ? y + {index} : ")).collect();
    check(&format!("int r, x = 17, y = 100; int main() {{ r = {chain} -1; }}"), 117);
    let calls: String =
        (1..25).map(|index| format!("int f{index}(int v) {{ return f{}(v) + 1; }}\n", index - 1)).collect();
    check(&format!("int r; int f0(int v) {{ return v; }} {calls} int main() {{ r = f24(3); }}"), 27);
}
