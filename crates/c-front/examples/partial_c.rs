//! Asks Rely about programs of which it follows only a part, and compares what it says with a run of gcc's code.
//!
//! `cargo run --release -p rely-c-front --example partial_c -- target/release/rely 500 1000` does so with 500 programs from
//! seed 1000 on. In each, constructs that Rely does not support, or replaces by any value, do or do not matter for an
//! assertion. The programs have no inputs, so each has one verdict: `safe` must not be said of one that fails when it
//! runs, nor `unsafe` of one that does not. The first such program is printed, and ends the campaign.

#[path = "../tests/suite/random.rs"]
mod random;

use random::Random;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// What the code ends with if an assertion fails.
const FAILED: i32 = 42;

/// What only the compiler sees.
const HIDDEN: &str = "#include <unistd.h>\nvoid reach_error(void) { _exit(42); }\nint outside(int x) { return x * 3 + 1; }\n\
                      void change(int *p) { *p ^= 5; }\nint external = 6;\n";

const DECLARATIONS: &str = "#include <pthread.h>\n#include <setjmp.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
#include <string.h>\nvoid reach_error(void);\nint outside(int), external;\nvoid change(int *);\n\
volatile int zero;\nint a = A0, b = B0, c = C0;\nstruct pair { int x, y; } p = { 1, 2 }, q = { 3, 4 };\n\
struct wide { unsigned long low : 40, high : 24; } w;\njmp_buf back;\n\
static int deep(int n) { return n == 0 ? b : deep(n - 1) + 1; }\n\
static int first(int n, ...) { va_list l; va_start(l, n); struct pair r = va_arg(l, struct pair); va_end(l); return r.x + n; }\n\
static void leave(int *n) { b += *n; }\n\
static void at_end(void) { if ((c & 3) == 1) reach_error(); }\n\
static void *work(void *unused) { c = (int)(c * 1.5); return 0; }\n";

/// Statements that change a variable `X`; most use what is not followed.
const CONSTRUCTS: [&str; 24] = [
    "{ double d = X; X = (int)(d * 1.5) + 1; }",
    "{ float f = 0; for (int i = 0; i < 3; i++) f += X; X = f > 9.5f; }",
    "{ char text[20]; sprintf(text, \"%d\", X); X = atoi(text) + 1; }",
    "X = outside(X);",
    "change(&X);",
    "X += external;",
    "if (setjmp(back) == 0) X++;",
    "__asm__(\"addl $3, %0\" : \"+r\"(X));",
    "__asm__ volatile(\"movl %1, %0\" : \"=r\"(X) : \"r\"(X + 2));",
    "{ w.low = X; X = (w.low << 39) != 0; }",
    "{ __int128 wide = X; wide *= 5; X = (int)wide; }",
    "{ X = (zero ? p : q).x + X; }",
    "X = deep(120) & 63;",
    "X = first(1, p) + X;",
    "{ __attribute__((cleanup(leave))) int own = 2; X++; }",
    "atexit(at_end);",
    "{ int n = 2; int grid[n][n]; grid[1][1] = X; X = grid[1][1] + 1; }",
    "{ int *all[10]; for (int i = 0; i < 10; i++) { all[i] = malloc(sizeof(int)); *all[i] = X + i; } X = *all[9]; }",
    "{ pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }",
    "{ char text[20]; snprintf(text, 3, \"%d\", X + 10); X = strlen(text) + X; }",
    "X = X * 3 + 1;",
    "X ^= b;",
    "{ struct pair r = p; r.y += X; p = r; X = p.y; }",
    "memcpy(&X, &p, sizeof X);",
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |index: usize, usual: u64| words.get(index).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let Some(rely) = words.first() else { panic!("the first argument is the command `rely`") };
    let mut out = std::io::stdout().lock();
    match run(&mut out, Path::new(rely), number(1, 200), number(2, 1000)) {
        Ok(true) => {}
        Ok(false) => std::process::exit(1),
        Err(error) => panic!("{error}"),
    }
}

/// Compares so many programs; returns whether no verdict was wrong.
fn run(out: &mut impl Write, rely: &Path, count: u64, first: u64) -> std::io::Result<bool> {
    let directory = tempfile::Builder::new().prefix("rely-").tempdir()?;
    let mut tally: BTreeMap<(String, &str), u64> = BTreeMap::new();
    for seed in first..first + count {
        let text = generate(seed);
        let Some(fails) = fails_when_run(directory.path(), &text)? else { continue };
        let verdict = ask(rely, directory.path(), &text)?;
        if matches!((verdict.as_str(), fails), ("safe", true) | ("unsafe", false)) {
            writeln!(out, "seed {seed}: {verdict}, but when it runs it {}\n{text}", told(fails))?;
            return Ok(false);
        }
        *tally.entry((verdict, told(fails))).or_default() += 1;
    }
    for ((verdict, fails), count) in tally {
        writeln!(out, "{count:6}  {verdict}, and it {fails}")?;
    }
    Ok(true)
}

fn told(fails: bool) -> &'static str {
    if fails { "fails" } else { "does not fail" }
}

fn generate(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = DECLARATIONS.to_owned();
    for name in ["A0", "B0", "C0"] {
        text = text.replace(name, &random.below(9).to_string());
    }
    text.push_str("int main(void) {\n    int unused = 0;\n");
    for _ in 0..1 + random.below(4) {
        let variable = random.pick(&["a", "b", "c", "unused"]);
        let statement = random.pick(&CONSTRUCTS).replace('X', variable);
        let statement = match random.below(6) {
            0 => format!("if (zero) {statement}"),
            1 => format!("if (a < {}) {statement}", random.below(12)),
            2 => format!("for (int k = 0; k < 2; k++) {statement}"),
            _ => statement,
        };
        text.push_str(&format!("    {statement}\n"));
        if random.chance(40) {
            text.push_str(&assertion(&mut random));
        }
    }
    text.push_str(&assertion(&mut random));
    text + "    return 0;\n}\n"
}

fn assertion(random: &mut Random) -> String {
    let variable = random.pick(&["a", "b", "c", "p.y"]);
    // The last one never holds.
    let condition = random.pick(&["& 1) == 1", "& 3) == 2", "& 7) == 5", "& 15) == 20"]);
    format!("    if (({variable} {condition}) reach_error();\n")
}

/// Whether an assertion fails in gcc's code; nothing if the run is undefined.
fn fails_when_run(directory: &Path, text: &str) -> std::io::Result<Option<bool>> {
    let (source, binary) = (directory.join("run.c"), directory.join("run"));
    std::fs::write(&source, format!("{text}{HIDDEN}"))?;
    let compiled = Command::new("gcc")
        .args([
            "-std=gnu11",
            "-w",
            "-O0",
            "-pthread",
            "-fsanitize=undefined",
            "-fsanitize-undefined-trap-on-error",
        ])
        .arg("-o")
        .args([&binary, &source])
        .output()?;
    if !compiled.status.success() {
        panic!("{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    }
    let status = Command::new(&binary).output()?.status;
    Ok(match status.code() {
        Some(0) => Some(false),
        Some(FAILED) => Some(true),
        _ => None,
    })
}

/// What Rely says of the assertions.
fn ask(rely: &Path, directory: &Path, text: &str) -> std::io::Result<String> {
    let file = directory.join("program.c");
    std::fs::write(&file, text)?;
    let asked = ["check", "--property", "assert", "--no-cache", "--quiet", "--timeout", "20"];
    let output = Command::new(rely).args(asked).arg(&file).output()?;
    Ok(match output.status.code() {
        Some(0) => "safe",
        Some(1) => "unsafe",
        Some(2) => "unknown",
        Some(5) => "not supported",
        _ => panic!(
            "{}{}\n{text}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
    .to_owned())
}
