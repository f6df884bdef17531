//! What the tests share.

use rely_base::{Budget, Silent};
use rely_horn::{Answer, System, TermPool, parse, solve};
use std::path::PathBuf;
use std::process::Command;

/// A limit that does not depend on the machine, for problems that have an answer.
pub const PATIENT: u32 = 2_000_000;
/// A limit for those that may have none.
pub const HASTY: u32 = 40_000;

/// Parses a text that is right.
pub fn parsed(text: &str) -> (TermPool, System) {
    let mut pool = TermPool::new();
    let system = parse(&mut pool, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (pool, system)
}

/// Solves a text within a limit of steps.
pub fn answer(text: &str, steps: u32) -> (TermPool, System, Answer) {
    let (mut pool, system) = parsed(text);
    let budget = Budget::unlimited().with_step_limit(steps);
    let answer = solve(&mut pool, &system, None, &budget, &Silent);
    (pool, system, answer)
}

/// The problems of this folder: name, expected answer, text.
pub fn problems() -> Vec<(String, String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("there are problems") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("; expect: "));
        let expected = expected.unwrap_or_else(|| panic!("{}: no expectation", path.display())).to_owned();
        found.push((path.file_stem().expect("a name").to_string_lossy().into_owned(), expected, text));
    }
    found.sort();
    assert!(found.len() > 30);
    found
}

/// Whether z3 is there; with `RELY_REQUIRE_SOLVERS` set, it must be.
pub fn has_z3() -> bool {
    let is_there = Command::new("z3").arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
    is_there
}

/// What z3 says about a text, within some seconds; `unknown` if it takes longer.
pub fn z3(text: &str, seconds: u32) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("clauses.smt2");
    std::fs::write(&path, text).expect("writable");
    let output = Command::new("z3").arg(format!("-T:{seconds}")).arg(&path).output().expect("z3 runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().next().unwrap_or_default().trim() {
        word @ ("sat" | "unsat") => word.to_owned(),
        "unknown" | "timeout" | "" => "unknown".to_owned(),
        other => panic!("z3: {other}"),
    }
}
