//! Expected verdicts, written in the programs themselves.
//!
//! ```text
//! // expect: safe
//! // expect: unsafe line 12
//! // expect(deadlock): unsafe
//! // expect: unknown
//! ```

use crate::support::root;
use rely::args::InputArgs;
use rely_base::{Budget, Silent};
use rely_program::Goal;
use rely_report::Conclusion;
use rely_verify::Loaded;
use std::path::PathBuf;

const MEMORY: usize = 4 << 20;

/// What must come out for one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    pub goal: Goal,
    pub verdict: String,
    /// The line of the violated condition.
    pub line: Option<u32>,
}

/// All expectations of a program; a text without any is an error, and so is one that is misspelt.
pub fn parse(text: &str) -> Result<Vec<Expectation>, String> {
    let lines = text.lines().filter_map(|line| line.split_once("// expect").map(|(_, rest)| rest));
    let expectations = lines.map(parse_one).collect::<Result<Vec<_>, _>>()?;
    if expectations.is_empty() { Err("there is no `// expect: ...`".to_owned()) } else { Ok(expectations) }
}

fn parse_one(rest: &str) -> Result<Expectation, String> {
    let bad = || format!("`// expect{rest}` is not an expectation");
    let (goal, rest) = match rest.strip_prefix('(') {
        None => (Goal::Assert, rest),
        Some(rest) => {
            let (name, rest) = rest.split_once(')').ok_or_else(bad)?;
            (Goal::ALL.into_iter().find(|goal| goal.name() == name).ok_or_else(bad)?, rest)
        }
    };
    let words: Vec<&str> = rest.strip_prefix(':').ok_or_else(bad)?.split_whitespace().collect();
    let (verdict, line) = match words.as_slice() {
        [verdict @ ("safe" | "unsafe" | "unknown")] => (*verdict, None),
        ["unsafe", "line", line] => ("unsafe", Some(line.parse().map_err(|_| bad())?)),
        _ => return Err(bad()),
    };
    Ok(Expectation { goal, verdict: verdict.to_owned(), line })
}

/// Decides all properties of which a program expects something, evidence checked, and tells
/// what is not as expected.
pub fn disappointments(loaded: &Loaded, text: &str) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for expected in parse(text)? {
        let loaded = loaded.for_goal(expected.goal);
        // What nobody can decide yet would keep the other engines busy for ever.
        let name = if expected.verdict == "unknown" { "explore" } else { "portfolio" };
        let engine = rely_verify::strategy(name).map_err(|error| error.to_string())?;
        // Enough for every finite example; infinite ones reach it soon.
        let budget = Budget::builder().memory_bytes(MEMORY).build();
        let verified = rely_verify::verify(&loaded.program, expected.goal, engine.as_ref(), &budget, &Silent);
        let conclusion = Conclusion::new(&verified.verdict, &loaded.program, &loaded.sources);
        let place = conclusion.violation().and_then(|violation| violation.place.as_ref());
        let line = place.map(|place| place.line);
        let is_line_right = expected.line.is_none() || expected.line == line;
        if conclusion.name() != expected.verdict || !is_line_right {
            complaints.push(format!(
                "{}: expected {}{}, found {}{} ({:.200?})",
                expected.goal,
                expected.verdict,
                at(expected.line),
                conclusion.name(),
                at(line),
                verified.verdict
            ));
        }
    }
    Ok(complaints)
}

/// The programs in a folder of `crates/rely/tests`.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(root().join("crates/rely/tests").join(folder)).expect("there are programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

/// What is not as the programs in a folder expect.
pub fn disappointments_in(folder: &str) -> Vec<String> {
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
    complaints
}

/// What the programs in a folder expect.
pub fn expectations_of(folder: &str) -> Vec<Expectation> {
    let texts = programs(folder).into_iter().map(|path| std::fs::read_to_string(path).expect("text"));
    texts.flat_map(|text| parse(&text).expect("expectations")).collect()
}

fn at(line: Option<u32>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}
