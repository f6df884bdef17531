//! Inputs that are meant to break the front end: deep, large, and random ones.

use crate::common::{errors, program, render, source};
use expect_test::{Expect, expect};
use rely_base::Random;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

const DEEP: usize = 100_000;

#[test]
fn deep_parentheses_are_refused_where_they_are_too_deep() {
    let text = format!("var x: int = 0;\nthread T {{ x := {}x{}; }}", "(".repeat(DEEP), ")".repeat(DEEP));
    check(
        &text,
        expect![[r#"
        error: nested more than 200 levels deep
          2:217 `(`: too deep
          help: split it into several parts
    "#]],
    );
}

#[test]
fn a_megabyte_of_nested_sums_is_refused() {
    let text =
        format!("var x: int = 0;\nthread T {{ x := {}x{}; }}", "(x + 1 - ".repeat(DEEP), ")".repeat(DEEP));
    assert!(text.len() > 1_000_000);
    check(
        &text,
        expect![[r#"
        error: nested more than 200 levels deep
          2:913 `1`: too deep
          help: split it into several parts
    "#]],
    );
}

#[test]
fn other_deep_things_are_refused() {
    check(
        &format!("var b: bool = true; thread T {{ b := {}b; }}", "!".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:237 `!`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("var x: int = 0; thread T {{ x := x{}; }}", " + 1".repeat(DEEP)),
        expect![[r#"
        error: an expression has more than 200 levels
          1:833 `1`: too deep here
          1:33 `x`: it starts here
          help: split it into several parts
    "#]],
    );
    check(
        &format!("var b: bool = *; thread T {{ b := b{}; }}", " ==> b".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:1234 `b`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("var b: bool = *; thread T {{ b := {}b; }}", "b ? b : ".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:1630 `b`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("var b: bool = *; thread T {{ b := {}b; }}", "b ? ".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:834 `b`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("var a: int[2] = 0; thread T {{ a[0] := {}0{}; }}", "a[".repeat(DEEP), "]".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:439 `a`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("thread T {{ {}skip;{} }}", "atomic { ".repeat(DEEP), "}".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:1821 `atomic`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("thread T {{ {}", "if * {".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:1218 `if`: too deep
          help: split it into several parts
    "#]],
    );
    check(
        &format!("var x: int = 0; thread T {{ skip; }} never {}x == i;", "exists i in 0..1: ".repeat(DEEP)),
        expect![[r#"
        error: nested more than 200 levels deep
          1:3636 `0`: too deep
          help: split it into several parts
    "#]],
    );
}

#[test]
fn wide_things_are_fine_or_refused_but_never_slow() {
    let statements = "x := x + 1; ".repeat(20_000);
    let fine = format!("var x: int = 0; thread T {{ {statements} }}");
    let atomic = format!("var x: int = 0; thread T {{ atomic {{ {statements} }} }}");
    let chain = format!(
        "var x: int = 0; thread T {{ atomic {{ if x == 0 {{ skip; }} {} }} }}",
        "else if x == 1 { skip; }".repeat(5_000)
    );
    let gotos = format!(
        "var x: int = 0; thread T {{ atomic {{ l: x := 1; {} }} }}",
        "if x == 2 { goto l; }".repeat(5_000)
    );
    for text in [fine, atomic, chain, gotos] {
        let (sources, file) = source(&text);
        let program = rely_model_front::translate(&sources, file).map_err(|errors| render(&sources, &errors));
        assert!(program.is_ok(), "{}", program.unwrap_err());
    }
    let conditions = "a[x] == 1 && ".repeat(150);
    let text = format!("var a: int[9] = 0; var x: int = 0; thread T[900] {{ await {conditions} true; }}");
    check(
        &text,
        expect![[r#"
        error: the program is too large
          1:58 `a[x] == 1 && a[x] == 1 && a[x]`: this is where it exceeds the limit
          help: quantifiers, replicated threads and long conditions multiply each other
    "#]],
    );
}

#[test]
fn many_threads_are_refused() {
    let threads: String = (0..40).map(|number| format!("thread T{number}[1000] {{ skip; }} ")).collect();
    check(
        &threads,
        expect![[r#"
        error: the program is too large
          1:268 `T10`: more than 10000 threads
    "#]],
    );
    let starts = "start p; ".repeat(20_000);
    check(
        &format!("process p {{ skip; }} {starts}"),
        expect![[r#"
        error: the program is too large
          1:9 `p`: more than 10000 threads
    "#]],
    );
}

#[test]
fn a_precondition_that_is_too_large_is_refused() {
    let quantifiers = "exists i in 0..999: ".repeat(3);
    check(
        &format!("var b: bool; requires b == ({quantifiers} i == 1000); thread T {{ skip; }}"),
        expect![[r#"
            error: the program is too large
              1:90 `i`: this is where it exceeds the limit
              help: quantifiers, replicated threads and long conditions multiply each other
        "#]],
    );
}

#[test]
fn many_mistakes_are_reported_up_to_a_limit() {
    let text: String =
        (0..3_000).map(|number| format!("thread T{number} {{ x{number} := y; goto l{number}; }} ")).collect();
    assert_eq!(errors(&text).matches("error:").count(), 20);
    let text: String = (0..3_000).map(|number| format!("start p{number}; never q{number} at l; ")).collect();
    assert_eq!(errors(&format!("thread T {{ skip; }} {text}")).matches("error:").count(), 20);
}

/// Models that use every construct, to be mutated.
const SEEDS: [&str; 3] = [
    "const N = 2; var x, y: int = 0; var a: int[N] in 0..3 = {1, 2}; var m: mutex; var go: bool = *; requires x == 0 && !go;
     thread W[N] { local v: int = me; l: lock(m); atomic { if a[me] > 1 { v := a[me] / x; } else { havoc v in 0..2; } x, y := y, x; } unlock(m);
     while v < 3 invariant v >= 0 { v := v + 1; if * { break; } else if go { continue; } } await go do { x := * in 1..2; } goto l; }
     never #(W at l && v == me) > 1; ensures forall i in 0..N - 1: a[i] <= 3 ==> W[i].v != 0; deadlock-free;",
    "var count, wait: int = 0; process main(k: int) { local t: thread; entry -> entry: count < k; count := count + 1; t := spawn p(count, true); entry -> b: join p; b -> exit: await wait == 0; }
     process p(n: int, b: bool) { if b { wait := n; } assert wait != 7 || n % 2 == 1; assume n >> 1 == 0; halt; } start main(3); never #(p at {entry, exit}) + #(p) > 3; terminates;",
    "/* c */ var x: int; // d\nthread T { // e\n x := x & 1 | ~x ^ 2 << 1; /* f */ s: skip; { x := this == this ? 0x1f : -1_0; } // g\n } invariant T at s <==> x == 0; // h",
];

fn mutate(random: &mut Random) -> String {
    let mut text: Vec<char> = SEEDS[random.below(SEEDS.len())].chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(text.len());
        let length = 1 + random.below(12);
        let end = (at + length).min(text.len());
        match random.below(5) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece: Vec<char> = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, piece);
            }
            2 => {
                text[at] =
                    ['{', '}', '(', ')', ';', '*', '0', '\u{0}', 'é', '/', '#', '\n'][random.below(12)];
            }
            3 => {
                let other: Vec<char> = SEEDS[random.below(SEEDS.len())].chars().collect();
                let from = random.below(other.len());
                let until = (from + 20).min(other.len());
                text.splice(at..end, other[from..until].iter().copied());
            }
            _ => text.swap(at, end - 1),
        }
        if text.is_empty() {
            text.push(';');
        }
    }
    text.into_iter().collect()
}

#[test]
fn the_models_to_be_mutated_are_correct() {
    for text in SEEDS {
        program(text);
    }
}

#[test]
fn mutated_models_never_panic() {
    let mut random = Random::new(2011);
    let mut accepted = 0;
    for _ in 0..4_000 {
        let text = mutate(&mut random);
        let (sources, file) = source(&text);
        accepted += usize::from(rely_model_front::translate(&sources, file).is_ok());
        if let Ok(formatted) = rely_model_front::format(&sources, file) {
            let (again, file) = source(&formatted);
            assert_eq!(rely_model_front::format(&again, file).as_deref(), Ok(formatted.as_str()), "{text}");
        }
    }
    assert!(accepted > 50, "the mutations are too wild: {accepted} are accepted");
}
