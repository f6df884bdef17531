//! Counting proofs as a user meets them: certificates beside the examples, which `rely certify` checks,
//! prints, exports and shows.
//!
//! The certificates are made here, from proofs as text. `UPDATE_EXPECT=1` writes them again.

#[path = "../../evidence/tests/counting/notation.rs"]
mod notation;
#[path = "../../evidence/tests/rely_guarantee/notation.rs"]
mod rely_guarantee_notation;

use expect_test::{ExpectFile, expect_file};
use rely_evidence::{Proof, proof_to_json};
use rely_program::{Goal, passes};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROOF: &str = "
    invariant: count = #worker.entry + #worker.b + #worker.exit
    invariant: wait = #worker.b + #worker.exit
    main @entry: go = 0
    main @exit: go = 1
    worker @entry: true
    worker @b: true
    worker @exit: go = 1 & wait = count
    effect main @entry: go = 0
    effect worker @entry: wait' = wait + 1
    effect worker @b: true";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The certificate of an example.
fn certificate(example: &str, goal: Goal, proof: &str) -> String {
    let text = std::fs::read_to_string(root().join(example)).expect("the example is there");
    let mut sources = rely_base::SourceMap::new();
    let file = sources.add(example, text.as_str());
    let program = rely_model_front::translate(&sources, file).expect("the example is correct");
    let (prepared, _) = passes::prepare(&program, goal);
    let proof = Proof::Counting(notation::proof(&prepared, proof));
    proof_to_json(&prepared, goal, &proof) + "\n"
}

/// The exit code and the words that were printed.
fn rely(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
    let output = command.args(arguments).current_dir(root()).output().expect("the command runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    (output.status.code().unwrap_or(-1), words.join(" "))
}

/// A file that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rely-counting-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("the file is written");
        Self(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("a plain name")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

#[track_caller]
fn certifies(goal: Goal, name: &str, file: &ExpectFile) {
    file.assert_eq(&certificate("examples/counting.rely", goal, PROOF));
    let (code, told) = rely(&["certify", name, "examples/counting.rely"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.starts_with(&format!("examples/counting.rely: safe ({goal})")), "{told}");
    assert!(told.contains("counting proof, 2 invariants, 5 assertions; confirmed"), "{told}");
}

#[test]
fn the_certificates_of_the_examples_are_accepted() {
    let file = expect_file!["../../../examples/counting.proof.json"];
    certifies(Goal::Assert, "examples/counting.proof.json", &file);
    let file = expect_file!["../../../examples/counting.deadlock.proof.json"];
    certifies(Goal::Deadlock, "examples/counting.deadlock.proof.json", &file);
}

#[test]
fn changed_certificates_are_refused() {
    let cases = [
        ("wait = #worker.b + #worker.exit", "wait = #worker.b", "rule `invariant-step` is violated"),
        ("wait = #worker.b + #worker.exit", "wait = 1 + #worker.b", "rule `invariant-initially` is violated"),
        ("go = 1 & wait = count", "go = 1", "rule `always` is violated (property 0)"),
        ("effect main @entry: go = 0", "effect main @entry: true", "rule `interference` is violated"),
    ];
    for (part, replacement, expected) in cases {
        let changed = certificate("examples/counting.rely", Goal::Assert, &PROOF.replace(part, replacement));
        let file = Scratch::new("changed.json", &changed);
        let (code, told) = rely(&["certify", file.name(), "examples/counting.rely"]);
        assert!(code == 2 && told.contains(expected), "{told}");
    }
    let other = certificate("examples/counting.rely", Goal::Assert, PROOF);
    let beyond = Scratch::new("beyond.json", &other.replacen("\"location\":", "\"location\":4", 1));
    let (code, told) = rely(&["certify", beyond.name(), "examples/counting.rely"]);
    assert!(code == 2 && told.contains("there is no location"), "{told}");
    let (code, told) = rely(&["certify", "examples/counting.proof.json", "examples/parent-child.rely"]);
    assert!(code == 3 && told.contains("belongs to another program"), "{told}");
}

#[test]
fn obligations_are_exported_and_confirmed() {
    let file = Scratch::new("obligations.smt2", "");
    let proof = "examples/counting.proof.json";
    let arguments = ["certify", "--export-obligations", file.name(), proof, "examples/counting.rely"];
    let (code, told) = rely(&arguments);
    assert_eq!(code, 0, "{told}");
    let script = std::fs::read_to_string(&file.0).expect("it was written");
    assert!(script.starts_with("; Obligations of a counting proof of the property `assert`"), "{script}");
    assert!(script.contains("interference: thread `worker` at `c`, edge 2 of `worker`"), "{script}");
    if Command::new("z3").arg("--version").output().is_ok() {
        let (code, told) = rely(&["certify", "--solver", "z3", proof, "examples/counting.rely"]);
        assert!(code == 0 && told.contains("`z3` confirms"), "{told}");
    } else {
        assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
    }
}
