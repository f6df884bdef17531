//! The examples of the project: each has the verdict that stands in it, and is formatted.

use crate::common::{Found, explore, program, source};
use std::path::PathBuf;

/// More states than any example that can be explored has.
const LIMIT: usize = 200_000;

/// The examples that start any number of threads. Exploration does not end there; that they are proved
/// is tested where engines are.
const UNBOUNDED: [&str; 4] =
    ["any-number-of-readers.rely", "counting.rely", "drain.rely", "test-and-set-any-number.rely"];

fn examples() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rely"))
        .collect();
    paths.sort();
    paths
}

/// The verdict for a property as it is written in the examples.
fn verdict(found: &Found, property: &str) -> String {
    match property {
        "assert" if found.violations.is_empty() && found.complete => "safe".into(),
        "assert" if found.violations.is_empty() => "unknown".into(),
        "assert" => format!("unsafe line {}", found.violations[0]),
        "deadlock" if found.deadlock => "unsafe".into(),
        "deadlock" if found.complete => "safe".into(),
        "deadlock" => "unknown".into(),
        // Who only visits states does not know.
        "termination" => "unknown".into(),
        other => panic!("no expectation for `{other}` can be checked here"),
    }
}

#[test]
fn examples_have_the_verdicts_that_stand_in_them() {
    let examples = examples();
    assert!(examples.len() >= 18);
    let mut wrong = Vec::new();
    for path in examples {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (sources, _) = source(&text);
        let program = program(&text);
        let is_unbounded = UNBOUNDED.contains(&name.as_str());
        let found = explore(&sources, &program, if is_unbounded { 5_000 } else { LIMIT });
        assert_eq!(found.complete, !is_unbounded, "{name}");
        let mut expectations = 0;
        for line in text.lines() {
            let Some(expectation) = line.strip_prefix("// expect") else { continue };
            let (property, expected) = expectation.split_once(':').unwrap();
            let property =
                property.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or("assert");
            let verdict = verdict(&found, property);
            let is_proved = is_unbounded && verdict == "unknown" && expected.trim() == "safe";
            if verdict != expected.trim() && !is_proved {
                wrong.push(format!(
                    "{name}: {property} is {verdict}, not{expected} ({} states)",
                    found.states
                ));
            }
            expectations += 1;
        }
        assert!(expectations > 0, "{name} says nothing about its verdict");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_are_formatted() {
    for path in examples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (sources, file) = source(&text);
        assert_eq!(rely_model_front::format(&sources, file).unwrap(), text, "{}", path.display());
    }
}
