//! Every program in `tests/races/` gets the verdict about data races that it says it must get.

use crate::expectation::{disappointments, parse};
use crate::support::root;
use rely::args::InputArgs;
use rely_base::{Budget, Silent};
use rely_program::Goal;
use rely_verify::{PairAnswer, survey_races};
use std::path::PathBuf;
use std::time::Duration;

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("crates/rely/tests/races")).expect("there are programs");
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
    let expectations: Vec<_> = programs()
        .iter()
        .flat_map(|path| parse(&std::fs::read_to_string(path).expect("text")).expect("expectations"))
        .collect();
    let count = |verdict: &str| expectations.iter().filter(|expected| expected.verdict == verdict).count();
    assert!(expectations.iter().all(|expected| expected.goal == Goal::Race));
    assert!(expectations.len() >= 120, "{} programs", expectations.len());
    assert!(count("safe") >= 50 && count("unsafe") >= 50, "{} safe", count("safe"));
    assert!(count("unknown") <= 8, "{} unknown", count("unknown"));
}

/// Whether there is a race is the same question for one verdict and for all pairs.
#[test]
fn all_pairs_agree_with_the_verdict() {
    let strategy = rely_verify::strategy("portfolio").expect("the default strategy exists");
    let (mut racy, mut apart) = (0, 0);
    for path in programs() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let input = rely::input::read(&path, &InputArgs::default())
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        let loaded = rely_verify::load(&input).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let budget = Budget::unlimited().with_time_limit(Duration::from_secs(10));
        let pairs = survey_races(&loaded.program, strategy.as_ref(), &budget, &Silent)
            .unwrap_or_else(|_| panic!("{name}: no time"));
        let races = pairs.iter().filter(|pair| pair.answer == PairAnswer::Races).count();
        let open = pairs.iter().filter(|pair| pair.answer == PairAnswer::Open).count();
        for expected in parse(&input.text).expect("expectations") {
            match expected.verdict.as_str() {
                "safe" => assert!(races == 0 && open == 0, "{name}: {races} races, {open} open"),
                "unsafe" => assert!(races > 0, "{name}: no race among {} pairs", pairs.len()),
                _ => assert!(races == 0, "{name}: {races} races"),
            }
        }
        racy += races;
        apart += pairs.len() - races - open;
    }
    assert!(racy >= 60 && apart >= 100, "{racy} pairs race, {apart} are apart");
}
