//! Counting proofs as a user meets them: certificates beside the examples, which `rely certify` checks,
//! prints, exports and shows.
//!
//! The certificates are made here, from proofs as text. `UPDATE_EXPECT=1` writes them again.

use crate::counting_notation;
use crate::support::{Directory, rely_in_root, root, words};
use expect_test::{ExpectFile, expect_file};
use rely_evidence::{About, Proof, proof_to_json};
use rely_program::Goal;
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

/// The certificate of an example.
fn certificate(example: &str, goal: Goal, proof: &str) -> String {
    let text = std::fs::read_to_string(root().join(example)).expect("the example is there");
    let mut sources = rely_base::SourceMap::new();
    let file = sources.add(example, text.as_str());
    let program = rely_model_front::translate(&sources, file).expect("the example is correct");
    let (prepared, _) = rely_passes::prepare(&program, goal);
    let proof = Proof::Counting(counting_notation::proof(&prepared, proof));
    proof_to_json(&prepared, &sources, About::Simplified, goal, &proof) + "\n"
}

#[track_caller]
fn certifies(goal: Goal, name: &str, file: &ExpectFile) {
    file.assert_eq(&certificate("examples/counting.rely", goal, PROOF));
    let (code, told) = words(&rely_in_root(&["certify", name, "examples/counting.rely"]));
    assert_eq!(code, Some(0), "{told}");
    assert!(told.starts_with(&format!("examples/counting.rely: safe ({goal})")), "{told}");
    assert!(told.contains("counting proof, 2 invariants, 5 assertions; confirmed"), "{told}");
}

#[test]
fn the_certificates_of_the_examples_are_accepted() {
    let file = expect_file!["../../../../examples/counting.proof.json"];
    certifies(Goal::Assert, "examples/counting.proof.json", &file);
    let file = expect_file!["../../../../examples/counting.deadlock.proof.json"];
    certifies(Goal::Deadlock, "examples/counting.deadlock.proof.json", &file);
}

#[test]
fn changed_certificates_are_refused() {
    let directory = Directory::new();
    let cases = [
        ("wait = #worker.b + #worker.exit", "wait = #worker.b", "rule `invariant-step` is violated"),
        ("wait = #worker.b + #worker.exit", "wait = 1 + #worker.b", "rule `invariant-initially` is violated"),
        ("go = 1 & wait = count", "go = 1", "rule `always` is violated (property 0)"),
        ("effect main @entry: go = 0", "effect main @entry: true", "rule `interference` is violated"),
    ];
    for (part, replacement, expected) in cases {
        let changed = certificate("examples/counting.rely", Goal::Assert, &PROOF.replace(part, replacement));
        let file = directory.write("changed.json", &changed);
        let (code, told) = words(&rely_in_root(&["certify", &file, "examples/counting.rely"]));
        assert!(code == Some(2) && told.contains(expected), "{told}");
    }
    let other = certificate("examples/counting.rely", Goal::Assert, PROOF);
    let beyond = directory
        .write("beyond.json", other.replacen("\"location\":\"worker ", "\"location\":\"worker 9", 1));
    let (code, told) = words(&rely_in_root(&["certify", &beyond, "examples/counting.rely"]));
    assert!(code == Some(3) && told.contains("the program has no place"), "{told}");
    let (code, told) =
        words(&rely_in_root(&["certify", "examples/counting.proof.json", "examples/parent-child.rely"]));
    assert!(code == Some(3) && told.contains("belongs to another program"), "{told}");
}

#[test]
fn obligations_are_exported_and_confirmed() {
    let directory = Directory::new();
    let file = directory.path("obligations.smt2").display().to_string();
    let proof = "examples/counting.proof.json";
    let arguments = ["certify", "--export-obligations", &file, proof, "examples/counting.rely"];
    let (code, told) = words(&rely_in_root(&arguments));
    assert_eq!(code, Some(0), "{told}");
    let script = directory.read("obligations.smt2");
    assert!(script.starts_with("; Obligations of a counting proof of the property `assert`"), "{script}");
    assert!(script.contains("interference: thread `worker` at `c`, edge 2 of `worker`"), "{script}");
    if Command::new("z3").arg("--version").output().is_ok() {
        let (code, told) =
            words(&rely_in_root(&["certify", "--solver", "z3", proof, "examples/counting.rely"]));
        assert!(code == Some(0) && told.contains("`z3` confirms"), "{told}");
    } else {
        assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
    }
}
