//! Every operation on every kind of mutex in every state, here and compiled by gcc.

use crate::common::{Runs, explore, run_preprocessor, try_translate};
use crate::versus_gcc::is_gcc_there;
use rely_c_front::CInput;
use std::fmt::Write;
use std::process::Command;

const HEADERS: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdio.h>\n";

/// What an operation comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Returns(i128),
    /// It waits forever.
    Blocks,
    /// It is undefined, and reported.
    Misuse,
}

use Outcome::{Blocks, Misuse, Returns};

/// The kinds that differ in what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Normal,
    Recursive,
    ErrorChecking,
}

use Kind::{ErrorChecking, Normal, Recursive};

/// Ways to make a mutex: its kind, declarations, what sets it up, and how to name it.
const MUTEXES: [(Kind, &str, &str, &str); 17] = [
    (Normal, "pthread_mutex_t M = PTHREAD_MUTEX_INITIALIZER;", "", "M"),
    (Normal, "pthread_mutex_t M;", "pthread_mutex_init(&M, 0);", "M"),
    (Normal, "pthread_mutex_t M = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;", "", "M"),
    (Normal, "pthread_mutex_t M;", "SETUP(PTHREAD_MUTEX_NORMAL)", "M"),
    (Normal, "pthread_mutex_t M;", "SETUP(PTHREAD_MUTEX_DEFAULT)", "M"),
    (Normal, "pthread_mutex_t M = { { 0, 0, 0, 0, 1 } };", "pthread_mutex_init(&M, 0);", "M"),
    (Recursive, "pthread_mutex_t M = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;", "", "M"),
    (
        Recursive,
        "\n#define ALIAS PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP\nstatic pthread_mutex_t M = ALIAS;",
        "",
        "M",
    ),
    (Recursive, "pthread_mutex_t M = { { 0, 0, 0, 0, 2 - 1 } };", "", "M"),
    (Recursive, "pthread_mutex_t M;", "SETUP(PTHREAD_MUTEX_RECURSIVE)", "M"),
    (
        Recursive,
        "struct { int x; pthread_mutex_t m; } S = { 1, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };",
        "",
        "S.m",
    ),
    (
        Recursive,
        "pthread_mutex_t A[] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };",
        "",
        "A[1]",
    ),
    (
        Recursive,
        "pthread_mutex_t A[3];",
        "for (int i = 0; i < 3; i++) { pthread_mutexattr_settype(&a, i % 2); pthread_mutex_init(A + i, &a); }",
        "A[1]",
    ),
    (
        Recursive,
        "struct s { pthread_mutex_t m; } S = { PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP }, T;",
        "T = S;",
        "T.m",
    ),
    (ErrorChecking, "pthread_mutex_t M = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;", "", "M"),
    (ErrorChecking, "pthread_mutex_t M;", "SETUP(PTHREAD_MUTEX_ERRORCHECK)", "M"),
    (
        ErrorChecking,
        "pthread_mutex_t M, *P;",
        "P = &M; int k = PTHREAD_MUTEX_ERRORCHECK; pthread_mutexattr_settype(&a, k); \
         pthread_mutexattr_t b = a; pthread_mutex_init(P, r ? &b : 0);",
        "(*P)",
    ),
];

/// What was done to the mutex before.
const STATES: [(&str, &str); 5] = [
    ("free", ""),
    ("mine", "pthread_mutex_lock(&M);"),
    ("given back", "pthread_mutex_lock(&M); pthread_mutex_unlock(&M);"),
    ("taken by trying", "pthread_mutex_trylock(&M);"),
    ("another's", "pthread_t t; pthread_create(&t, 0, take, 0); pthread_join(t, 0);"),
];

const OPERATIONS: [(&str, &str); 7] = [
    ("lock", "r = pthread_mutex_lock(&M);"),
    ("trylock", "r = pthread_mutex_trylock(&M);"),
    ("unlock", "r = pthread_mutex_unlock(&M);"),
    ("lock, unlock twice", "pthread_mutex_lock(&M); pthread_mutex_unlock(&M); r = pthread_mutex_unlock(&M);"),
    (
        "trylock, unlock twice",
        "pthread_mutex_trylock(&M); pthread_mutex_unlock(&M); r = pthread_mutex_unlock(&M);",
    ),
    ("wait", "r = pthread_cond_wait(&condition, &M);"),
    ("destroy", "r = pthread_mutex_destroy(&M);"),
];

/// What POSIX says, and glibc does where POSIX leaves it open.
fn expected(kind: Kind, state: &str, operation: &str) -> Outcome {
    let is_mine = matches!(state, "mine" | "taken by trying");
    let is_taken = is_mine || state == "another's";
    let not_mine = if kind == Normal { Misuse } else { Returns(1) };
    match operation {
        "lock" => match kind {
            _ if !is_taken => Returns(0),
            Recursive if is_mine => Returns(0),
            ErrorChecking if is_mine => Returns(35),
            _ => Blocks,
        },
        "trylock" if !is_taken || kind == Recursive && is_mine => Returns(0),
        "trylock" => Returns(16),
        "unlock" | "wait" if is_mine => Returns(0),
        "unlock" | "wait" => not_mine,
        "destroy" if is_taken => Misuse,
        "destroy" => Returns(0),
        // The first call has no effect where it fails; the second one is left to be undone.
        "lock, unlock twice" if is_taken && expected(kind, state, "lock") == Blocks => Blocks,
        _ if is_mine && kind == Recursive => Returns(0),
        _ => not_mine,
    }
}

/// The parts of a program, with its names made its own.
fn parts(index: usize, state: &str, operation: &str) -> [String; 4] {
    let (_, declarations, setup, mutex) = MUTEXES[index];
    let setup = setup.replace("SETUP(", "KIND(M, ");
    let in_place = |text: &str| text.replace("&M", &format!("&{mutex}")).replace("&(*P)", "P");
    let take = in_place("pthread_mutex_lock(&M);");
    [declarations.to_owned(), setup, take, format!("{} {}", in_place(state), in_place(operation))]
}

const KIND: &str =
    "#define KIND(mutex, kind) pthread_mutexattr_settype(&a, kind); pthread_mutex_init(&mutex, &a);\n";

fn program(index: usize, state: &str, operation: &str) -> String {
    let [declarations, setup, take, body] = parts(index, state, operation);
    format!(
        "int r = -1; pthread_cond_t condition = PTHREAD_COND_INITIALIZER; {declarations}\n\
         void *take(void *p) {{ {take} return 0; }}\n\
         int main(void) {{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); {setup} {body} return 0; }}\n"
    )
}

/// Many programs behind the preprocessor, which runs once for all of them.
fn preprocessed(programs: &[String]) -> Vec<String> {
    let mark = |index: usize| format!("\nint program_{index}_starts_here;\n");
    let mut all = HEADERS.to_owned() + KIND;
    for (index, text) in programs.iter().enumerate() {
        all += &mark(index);
        all += text;
    }
    let output = run_preprocessor("test.c", &all);
    let start_of = |index: usize| output.find(&mark(index)).unwrap_or(output.len());
    let headers = &output[..start_of(0)];
    (0..programs.len())
        .map(|index| format!("{headers}{}", &output[start_of(index)..start_of(index + 1)]))
        .collect()
}

/// The same as a function, for one program of all of them.
fn function(number: usize, index: usize, state: &str, operation: &str) -> String {
    let [declarations, setup, take, body] = parts(index, state, operation);
    let text = format!(
        "{declarations}\n#undef ALIAS\nstatic void *take(void *p) {{ {take} return 0; }}\n\
         static int run(void) {{ int r = -1; pthread_mutexattr_t a; pthread_mutexattr_init(&a); {setup} {body} \
         return r; }}\n"
    );
    let own = |text: String, name: &str| {
        let mut renamed = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(name) {
            let is_word = |found: Option<char>| found.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let (before, after) = (&rest[..at], &rest[at + name.len()..]);
            renamed.push_str(before);
            renamed.push_str(name);
            if !is_word(before.chars().last()) && !is_word(after.chars().next()) {
                let _ = write!(renamed, "_{number}");
            }
            rest = after;
        }
        renamed + rest
    };
    ["M", "S", "T", "A", "P", "s", "take", "run"].into_iter().fold(text, own)
}

fn outcome(runs: &Runs) -> Outcome {
    if !runs.failures.is_empty() {
        return Misuse;
    }
    let mut results =
        runs.ends.iter().filter_map(|end| end.split(' ').find_map(|field| field.strip_prefix("r=")));
    match (results.next(), results.next()) {
        (Some(result), None) => Returns(result.parse().expect("the result is a number")),
        (None, None) if runs.deadlocks => Blocks,
        _ => panic!("{runs:?}"),
    }
}

fn run(preprocessed: String) -> Runs {
    let input = CInput { name: "test.i".into(), preprocessed, ..CInput::default() };
    match try_translate(&input) {
        Ok((program, _)) => explore(&program),
        Err(error) => panic!("{error}"),
    }
}

/// All combinations.
fn cases() -> impl Iterator<Item = (usize, (&'static str, &'static str), (&'static str, &'static str))> {
    (0..MUTEXES.len()).flat_map(|index| {
        STATES
            .into_iter()
            .flat_map(move |state| OPERATIONS.into_iter().map(move |operation| (index, state, operation)))
    })
}

#[test]
fn every_kind_of_mutex_does_in_every_state_what_posix_says() {
    if !is_gcc_there() {
        return;
    }
    let programs: Vec<String> =
        cases().map(|(index, state, operation)| program(index, state.1, operation.1)).collect();
    let texts = preprocessed(&programs);
    for (((index, state, operation), text), program) in cases().zip(texts).zip(programs) {
        let found = outcome(&run(text));
        let expected = expected(MUTEXES[index].0, state.0, operation.0);
        assert_eq!(found, expected, "{} {}\n{program}", state.0, operation.0);
    }
}

#[test]
fn what_is_expected_of_mutexes_is_what_gcc_makes_of_them() {
    if !is_gcc_there() {
        return;
    }
    // Who waits for a condition variable would wait forever.
    let returns = |(index, state, operation): &(usize, (&str, &str), (&str, &str))| {
        let result = expected(MUTEXES[*index].0, state.0, operation.0);
        (operation.0 != "wait" || result == Returns(1)) && matches!(result, Returns(_))
    };
    let cases: Vec<_> = cases().filter(returns).collect();
    assert!(cases.len() > 200, "{} cases", cases.len());
    let mut text = format!("{HEADERS}{KIND} static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;\n");
    let mut calls = String::new();
    for (number, (index, state, operation)) in cases.iter().enumerate() {
        text += &function(number, *index, state.1, operation.1);
        let _ = writeln!(calls, "  printf(\"%d\\n\", run_{number}());");
    }
    let _ = writeln!(text, "int main(void) {{\n{calls}  return 0;\n}}");
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    std::fs::write(&source, text).expect("the folder can be written to");
    let compiled = Command::new("gcc").args(["-w", "-pthread", "-o"]).arg(&binary).arg(&source).output();
    let compiled = compiled.expect("gcc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("the program prints numbers");
    let results: Vec<i128> = printed.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(results.len(), cases.len());
    for ((index, state, operation), result) in cases.into_iter().zip(results) {
        let (kind, declarations, ..) = MUTEXES[index];
        let expected = expected(kind, state.0, operation.0);
        assert_eq!(Returns(result), expected, "{declarations} {} {}", state.0, operation.0);
    }
}
