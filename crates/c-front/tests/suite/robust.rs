//! Damaged programs: whatever the text, there is an answer and no panic.

use crate::common::{preprocessed, try_translate};
use crate::random::Random;

const PROGRAMS: [&str; 5] = [
    "typedef unsigned long pthread_t; int x, a[3] = {1, 2}; void *f(void *p) { int *q = p; while (*q < 3) { x++; a[x % 3] = *q; } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, &x); pthread_join(t, 0); return a[1]; }",
    "struct s { int v; struct s *next; } n = { 1, 0 }, m = { 2, &n }; enum { A, B = 3 } e; int main() { for (struct s *p = &m; p; p = p->next) switch (p->v) { case A: e = B; break; case 1 ... 2: goto out; default: continue; } out: return n.v ? e : -1; }",
    "unsigned char c; _Atomic int k; int g(int a, long b) { return a > b ? (int)(a - b) : ~a; } int main() { do { c = c * 7 + g(c, 3L); k++; } while (c && k < 10 || !k); __VERIFIER_assert(c != 5); return ({ int z = c; z; }); }",
    "int l; void __VERIFIER_atomic_lock(void) { __VERIFIER_assume(l == 0); l = 1; } int (*h)(int); int one(int x) { return x << 2 >> 1; } int main(void) { h = one; __VERIFIER_atomic_lock(); l = h(sizeof(int[2])); if (__sync_bool_compare_and_swap(&l, 0, 1)) l ^= 0x7fu; }",
    "static const int N = 2; int m[2][3]; typedef int T; T id(T x) { return x; } int main(int argc, char **argv) { T i, j; for (i = 0; i < N; i++) for (j = 0; j < 3; ++j) m[i][j] = id(i) * 10 + j, m[1][1] |= 'x'; return m[1][2] == 12 && argc; }",
];

/// Pieces that are put into programs.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "&&",
    "->",
    ".",
    "?",
    ":",
    "=",
    "==",
    "<<",
    "++",
    "-",
    "~",
    "0",
    "1",
    "x",
    "int",
    "void",
    "struct",
    "sizeof",
    "if",
    "else",
    "while",
    "return",
    "goto",
    "case",
    "default",
    "break",
    "\"",
    "'",
    "18446744073709551615u",
    "__VERIFIER_atomic_begin();",
];

/// The program with a few random changes.
fn damaged(random: &mut Random) -> String {
    let mut text = PROGRAMS[random.below(PROGRAMS.len())].to_owned();
    for _ in 0..1 + random.below(4) {
        let from = random.below(text.len());
        let to = (from + random.below(8)).min(text.len());
        let piece = match random.below(4) {
            0 => String::new(),
            1 => random.pick(&PIECES).to_owned(),
            2 => char::from(random.below(128) as u8).to_string(),
            _ => {
                let other = PROGRAMS[random.below(PROGRAMS.len())];
                let start = random.below(other.len());
                other[start..(start + random.below(30)).min(other.len())].to_owned()
            }
        };
        text.replace_range(from..to, &piece);
    }
    text
}

#[test]
fn undamaged_programs_are_accepted() {
    for text in PROGRAMS {
        if let Err(error) = try_translate(&preprocessed(text)) {
            panic!("{error}\n{text}");
        }
    }
}

#[test]
fn damaged_programs_get_an_answer() {
    let mut random = Random::new(7);
    let mut accepted = 0;
    for _ in 0..600 {
        let text = damaged(&mut random);
        match try_translate(&preprocessed(&text)) {
            Ok(_) => accepted += 1,
            Err(error) => {
                assert!(!error.contains("internal error"), "{error}\n{text}");
            }
        }
    }
    assert!(accepted > 0 && accepted < 500, "{accepted} programs are accepted");
}

#[test]
fn deep_nesting_is_refused_at_once() {
    let deep = |open: &str, close: &str| {
        format!("int main() {{ return {}1{}; }}", open.repeat(100_000), close.repeat(100_000))
    };
    let texts = [
        deep("(", ")"),
        deep("-(", ")"),
        deep("- ", ""),
        deep("1 + ", ""),
        deep("x ? 1 : ", ""),
        deep("a[", "]"),
        deep("f(", ")"),
        deep("(int)", ""),
        format!("int main() {{ {} }}", "{".repeat(100_000)),
        format!("int main() {{ {} ; }}", "if (1) ; else ".repeat(100_000)),
        format!("int x = {};", "{".repeat(100_000)),
    ];
    for text in texts {
        let Err(error) = try_translate(&preprocessed(&text)) else { panic!("it is accepted") };
        let (place, message) = error.split_once('\n').expect("the error has a place");
        assert!(place.starts_with("1:"), "{place}");
        assert_eq!(message, "the program nests too deeply here");
    }
}

#[test]
fn allowed_nesting_is_translated() {
    let nested = |open: &str, close: &str| {
        format!(
            "int x, a[1]; int f(int y) {{ return y; }} int main() {{ return {}1{}; }}",
            open.repeat(200),
            close.repeat(200)
        )
    };
    for (open, close) in
        [("(", ")"), ("-(", ")"), ("a[", "]"), ("x + (", ")"), ("x && (", ")"), ("!", ""), ("(int)", "")]
    {
        if let Err(error) = try_translate(&preprocessed(&nested(open, close))) {
            panic!("{open}: {error}");
        }
    }
    let long_sum = format!("int x; int main() {{ return x{}; }}", " + x".repeat(1_500));
    assert!(try_translate(&preprocessed(&long_sum)).is_ok());
}
