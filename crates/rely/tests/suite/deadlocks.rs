//! Every program in `tests/deadlocks/` and `tests/termination/` gets the verdicts about deadlocks and about its end that it
//! says it must get.

use crate::expectation::{disappointments, parse};
use crate::support::root;
use rely::args::InputArgs;
use rely_program::Goal;
use std::path::PathBuf;

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("crates/rely/tests").join(folder);
    let entries = std::fs::read_dir(folder).expect("there are programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

/// Every program of a folder gets its verdicts.
#[track_caller]
fn check(folder: &str) {
    let mut complaints = Vec::new();
    for path in programs(folder) {
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
fn every_program_that_may_wait_gets_its_verdict() {
    check("deadlocks");
}

#[test]
fn every_program_that_may_not_end_gets_its_verdicts() {
    check("termination");
}

#[test]
fn there_are_enough_programs_of_each_kind() {
    let count = |folder: &str, goal: Goal, verdict: &str| {
        let texts = programs(folder).into_iter().map(|path| std::fs::read_to_string(path).expect("text"));
        let expected = texts.flat_map(|text| parse(&text).expect("expectations"));
        expected.filter(|expected| expected.goal == goal && expected.verdict == verdict).count()
    };
    for verdict in ["safe", "unsafe"] {
        assert!(count("deadlocks", Goal::Deadlock, verdict) >= 25, "{verdict}");
        assert!(count("termination", Goal::Deadlock, verdict) >= 12, "{verdict}");
        assert!(count("termination", Goal::Termination, verdict) >= 20, "{verdict}");
        assert!(count("termination", Goal::FairTermination, verdict) >= 12, "{verdict}");
    }
}
