//! In which order operands are evaluated, and when that is listed as an assumption.

use crate::common::{explore, program};
use rely_program::Program;

const UNSEQUENCED: &str = "unsequenced-left-to-right";

/// Names for the constructs: globals, locals, structures, and functions with and without effects.
const NAMES: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
    int printf(const char *, ...); int abs(int); void exit(int); void abort(void);
    int x, y, z, a[4]; int *p = &a[1]; struct s { int m, n; } s, t, u; _Atomic int c;
    static int pure(int v) { int w = v + 1; return w; }
    static int looks(void) { return x; }
    static int sets(int v) { x = v; return v; }
    static int sets_y(int v) { y = v; return v; }
    static int changes(int *q) { *q = *q + 1; return *q; }
    static int ends(void) { exit(1); return 1; }
    static int fails(int v) { if (v) __VERIFIER_error(); return v; }
    static int two(int v, int w) { return v * 10 + w; }
    static int member(struct s v, int w) { return v.m * 10 + w; }
    static int (*fp)(int) = pure;
    static void *run(void *v) { x = 1; y = 1; s.m = 1; return 0; }
    void __VERIFIER_error(void); void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
";

fn with_body(body: &str, has_threads: bool) -> Program {
    let start = if has_threads { "pthread_t h; pthread_create(&h, 0, run, 0);" } else { "" };
    program(&format!("{NAMES} int main(void) {{ int l = 1, k = 2, b[2] = {{0}}; {start} {body} return 0; }}"))
}

fn lists(program: &Program) -> bool {
    program.assumptions().contains(&UNSEQUENCED)
}

/// Constructs whose order matters even without other threads.
const ALWAYS: &[&str] = &[
    "z = x + sets(2);",
    "z = sets(2) + x;",
    "z = sets(1) + sets(2);",
    "z = sets(1) * looks();",
    "l = l + (l = 5);",
    "z = l + changes(&l);",
    "z = changes(&l) - l;",
    "z = two(x, sets(2));",
    "z = two(changes(&l), l);",
    "z = member(s, (s.m = 4));",
    "z = member(s, (s = t, 1));",
    "z = a[x] + sets(1);",
    "z = a[sets(1)] + x;",
    "z = x[a] * sets(2);",
    "a[x] = sets(2);",
    "a[l] = changes(&l);",
    "*(p + x) = sets(1);",
    "p[changes(&l)] = l;",
    "x += sets(2);",
    "l += changes(&l);",
    "l += (l = 3);",
    "a[0] += (a[0] = 2);",
    "c += sets(1) + x;",
    "int q[2] = { sets(1), x };",
    "int q[2] = { l++, l };",
    "int q[2] = { 1, q[0] };",
    "struct s q = { .n = sets(1), .m = sets(2) };",
    "z = ((struct s){ x, sets(1) }).m;",
    "z = (fp = pure, fp)(sets(1)) + x;",
    "z = (x++, pure)(x);",
    "z = ends() + fails(1);",
    "z = fails(1) == ends();",
    "printf(\"%d %d\", sets(1), x);",
    "z = abs(sets(1)) + abs(x);",
    "z = ({ x = 1; x; }) + x;",
    "z = (x++, 1) + x++;",
    "z = x-- - x--;",
    "l = (k ? changes(&l) : 1) + l;",
    "l = (k && changes(&l)) + l;",
    "t = (s = t, s), z = s.m + (s.m = 2);",
];

/// Constructs whose order only other threads can notice.
const WITH_THREADS: &[&str] = &[
    "z = x + y;",
    "z = x - x;",
    "z = a[x] + y;",
    "a[x] = y;",
    "*p = x;",
    "x += y;",
    "a[x] += y;",
    "l = looks() + y;",
    "z = two(x, y);",
    "z = member(s, x);",
    "z = pure(x) < sets_y(2);",
    "int q[2] = { x, y };",
    "struct s q = { x, .n = y };",
    "z = fp(x);",
    "printf(\"%d %d\", x, y);",
    "z = x++ + y;",
    "z = (l && x) + y;",
    "z = sets_y(1) + sets(2);",
];

/// Constructs that have an order, or whose operands have nothing to do with each other.
const NEVER: &[&str] = &[
    "z = x;",
    "x = l;",
    "x = y;",
    "z = l + k;",
    "l = x + k;",
    "x++;",
    "x += 1;",
    "l += x;",
    "x = x + 1;",
    "z = pure(l) + pure(k);",
    "z = two(pure(l), pure(k));",
    "z = l++ + k++;",
    "z = b[l] + k;",
    "b[l] = k++;",
    "z = x && sets(2);",
    "z = x || sets(2);",
    "z = x ? sets(1) : sets(2);",
    "x = (sets(1), sets(2));",
    "sets(1); sets(2);",
    "int q = sets(1), r = x;",
    "int q[2] = { l, k };",
    "int q[2] = { x, k };",
    "int q[3] = { 1, 2, 3 };",
    "s = t;",
    "u = s = t;",
    "z = y = x;",
    "z = sizeof(sets(1)) + x;",
    "z = _Generic(sets(1), int: 1) + x;",
    "if (x) z = y;",
    "for (l = x; l < y; l++) z = l;",
    "z = fp(l);",
    "c += x;",
    "z = abs(x);",
    "printf(\"%d\", x);",
    "__VERIFIER_atomic_begin(); z = x + y; __VERIFIER_atomic_end();",
];

#[test]
fn the_assumption_is_listed_if_the_order_can_matter() {
    let mut wrong = Vec::new();
    let table = [(ALWAYS, [true, true]), (WITH_THREADS, [false, true]), (NEVER, [false, false])];
    for (constructs, expected) in table {
        for construct in constructs {
            let found = [false, true].map(|has_threads| lists(&with_body(construct, has_threads)));
            if found != expected {
                wrong.push(format!("{construct} {found:?} instead of {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "without and with threads:\n{}", wrong.join("\n"));
}

/// The globals that the only run ends with.
fn end_of(body: &str) -> String {
    let runs = explore(&with_body(body, false));
    assert!(runs.failures.is_empty(), "{:?} {body}", runs.failures);
    runs.ends.into_iter().next().expect("the program ends")
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let table = [
        ("x = 1; z = x + sets(20);", "z=21"),
        ("x = 1; z = sets(20) + x;", "z=40"),
        ("x = 1; x += sets(20);", "x=21"),
        ("x = 1; x -= (x = 5, 3);", "x=-2"),
        ("l += changes(&l); z = l;", "z=3"),
        ("x = 1; a[x] = sets(2);", "a=[0, 2, 0, 0]"),
        ("x = 1; a[x] += (x = 2);", "a=[0, 2, 0, 0]"),
        ("a[1] = 4; *p += (p = a, 1); z = a[1];", "z=5"),
        ("x = 1; z = two(x, sets(3));", "z=13"),
        ("x = 1; z = two(sets(3), x);", "z=33"),
        ("s.m = 1; z = member(s, (s.m = 4));", "z=14"),
        ("s.m = 1; z = member(s, (s = (struct s){ 7, 7 }, 3));", "z=13"),
        ("x = 1; int q[2] = { x, sets(3) }; z = two(q[0], q[1]);", "z=13"),
        ("x = 1; z = a[x] + (a[1] = 6);", "z=6"),
        ("z = l++ * 10 + l;", "z=12"),
        ("z = two(l++, l++);", "z=12"),
    ];
    for (body, expected) in table {
        let end = end_of(body);
        let is_there = end.match_indices(expected).any(|(at, _)| {
            let behind = end[at + expected.len()..].chars().next();
            behind.is_none_or(|next| next == ' ')
        });
        assert!(is_there, "{body} ends with {end} instead of {expected}");
    }
}

/// What is read, how often, and in which order, is seen by other threads.
#[test]
fn shared_operands_are_read_once_and_from_left_to_right() {
    // The thread sets `x` and then `y`: who reads `x` first may find only `y` to be set.
    let reads = |body: &str| {
        let text = format!(
            "typedef unsigned long pthread_t;
             int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
             int x, y, z; struct s {{ int m; }} s, t, u;
             void *run(void *v) {{ x = 1; y = 1; s.m = 1; return 0; }}
             int pair(int v, int w) {{ return v + 2 * w; }}
             int held(struct s v, int w) {{ return v.m + 2 * w; }}
             int main(void) {{ pthread_t h; pthread_create(&h, 0, run, 0); {body} return 0; }}"
        );
        let runs = explore(&program(&text));
        let values = runs.ends.iter().map(|end| {
            let z = end.split(' ').find_map(|field| field.strip_prefix("z=")).expect("z is there");
            z.parse::<i32>().expect("z is a number")
        });
        values.collect::<std::collections::BTreeSet<i32>>().into_iter().collect::<Vec<i32>>()
    };
    let in_order = vec![0, 1, 2, 3];
    let reversed = vec![0, 1, 3];
    assert_eq!(reads("z = x + 2 * y;"), in_order);
    assert_eq!(reads("z = 2 * y + x;"), reversed);
    assert_eq!(reads("z = pair(x, y);"), in_order);
    // `s` is set last, so `x` cannot be found without a value behind it.
    assert_eq!(reads("z = held(s, x);"), vec![0, 2, 3]);
    assert_eq!(reads("int q[2] = { y, x }; z = 2 * q[0] + q[1];"), reversed);
    // What is assigned to two places is read once.
    assert_eq!(reads("u = t = s; z = (u.m == t.m);"), vec![1]);
    assert_eq!(reads("int q, r; q = r = x; z = q == r;"), vec![1]);
}
