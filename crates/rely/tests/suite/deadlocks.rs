//! Every program in `tests/deadlocks/` gets the verdict about deadlocks that it says it must get.

use crate::expectation::{disappointments, parse};
use crate::support::root;
use rely::args::InputArgs;
use std::path::PathBuf;

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("crates/rely/tests/deadlocks")).expect("there are programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_program_gets_its_verdict() {
    let mut complaints = Vec::new();
    for path in programs() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let input = rely::input::read(&path, &InputArgs::default())
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let loaded = rely_verify::load(&input).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        match disappointments(&loaded, &input.text) {
            Ok(found) => complaints.extend(found.into_iter().map(|complaint| format!("{name}: {complaint}"))),
            Err(problem) => complaints.push(format!("{name}: {problem}")),
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn there_are_enough_programs_of_each_kind() {
    let verdicts: Vec<String> = programs()
        .iter()
        .flat_map(|path| parse(&std::fs::read_to_string(path).expect("text")).expect("expectations"))
        .map(|expected| expected.verdict)
        .collect();
    for verdict in ["safe", "unsafe"] {
        assert!(verdicts.iter().filter(|found| *found == verdict).count() >= 12, "{verdict}");
    }
}
