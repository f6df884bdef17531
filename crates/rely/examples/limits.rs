//! Which verdicts and counts depend on the limits of the engines.
//!
//! ```text
//! cargo run --release -p rely --example limits -- [SECONDS] [PATTERN]
//! ```
//!
//! Runs the tasks of the papers' tables and the examples, first with the usual limits, then with each
//! limit halved and doubled, and prints a table of what came out differently; standard error has the details.
//! A limit is tried with the strategies that it concerns, on the programs that they decide within SECONDS (half a
//! second unless said otherwise) with the usual limits. A pattern chooses limits whose name contains it.
//!
//! With a changed limit a program has eight times as long, so that a busy machine seldom looks like a limit that
//! matters. Of the portfolio only the verdict is compared: which of its engines is first is left to chance.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a command talks to the terminal

use rely::args::InputArgs;
use rely::input;
use rely_base::{Budget, Observer, Progress};
use rely_program::Goal;
use rely_verify::{Limits, Loaded, StrategyOptions, load, strategy_with, verify};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// A program and what to decide of it.
struct Subject {
    name: String,
    loaded: Loaded,
}

/// Keeps the counts that were told last.
#[derive(Default)]
struct LastCounts(Mutex<Vec<(&'static str, u64)>>);

impl Observer for LastCounts {
    fn progress(&self, progress: &Progress) {
        *self.0.lock().expect("nobody panics") = progress.counts.clone();
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(Ok(0.5), |text| text.parse());
    let Ok(time) = seconds.map(Duration::from_secs_f64) else {
        eprintln!("usage: limits [SECONDS] [PATTERN]");
        std::process::exit(2);
    };
    let pattern = arguments.next().unwrap_or_default();
    let subjects = subjects();
    let mut strategies: Vec<Decided<'_>> = Vec::new();
    println!("| limit | value | strategy | programs | halved | doubled |\n|---|---|---|---|---|---|");
    for (name, value) in Limits::default().entries().into_iter().filter(|(name, _)| name.contains(&pattern)) {
        for strategy in concerned(&name) {
            let known = strategies.iter().position(|decided| decided.strategy == *strategy);
            let known = known.unwrap_or_else(|| {
                strategies.push(Decided::new(strategy, &subjects, time));
                strategies.len() - 1
            });
            let decided = &strategies[known];
            let [halved, doubled] =
                [value / 2, value.saturating_mul(2)].map(|changed| decided.differences(&name, changed, time));
            println!("| `{name}` | {value} | {strategy} | {} | {halved} | {doubled} |", decided.usual.len());
        }
    }
}

/// The strategies whose work a limit concerns most directly.
fn concerned(limit: &str) -> &'static [&'static str] {
    match limit.split_once('.').map_or(limit, |(part, _)| part) {
        "portfolio" => &["portfolio"],
        "explore" => &["explore"],
        "walks" => &["portfolio", "houdini"],
        "deductive" => &["deductive"],
        "houdini" => &["houdini"],
        "owicki-gries" | "horn" => &["owicki-gries"],
        "reduction" => &["reduction"],
        "parameterized" => &["parameterized"],
        "symbolic" | "solver" | "interpolation" => &["rely-guarantee", "deductive"],
        _ => &["rely-guarantee"],
    }
}

/// What a strategy says with the usual limits, where it decides in time.
struct Decided<'s> {
    strategy: &'static str,
    usual: Vec<(&'s Subject, Outcome)>,
}

impl<'s> Decided<'s> {
    fn new(strategy: &'static str, subjects: &'s [Subject], time: Duration) -> Self {
        let decided = |subject| Some((subject, outcome(subject, strategy, Limits::default(), time)?));
        Self { strategy, usual: subjects.iter().filter_map(decided).collect() }
    }

    /// What changes with another value of a limit.
    fn differences(&self, name: &str, value: u64, time: Duration) -> String {
        let mut limits = Limits::default();
        assert!(limits.set(name, value), "the limit is listed");
        let (mut verdicts, mut counts) = (Vec::new(), 0);
        for (subject, usual) in &self.usual {
            let changed = outcome(subject, self.strategy, limits, time * 8);
            let shown = changed.as_ref().map_or("nothing in time".to_owned(), Outcome::to_string);
            match changed {
                Some(changed) if changed == *usual => continue,
                Some(changed) if changed.verdict == usual.verdict => counts += 1,
                _ => verdicts.push(format!("`{}` {}", subject.name, shown.split(' ').next().unwrap_or(""))),
            }
            eprintln!("{name} = {value}, {}, {}: {shown} instead of {usual}", self.strategy, subject.name);
        }
        let counts =
            (counts > 0).then(|| format!("{counts} {}", if counts == 1 { "count" } else { "counts" }));
        let parts: Vec<String> = verdicts.into_iter().chain(counts).collect();
        if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
    }
}

/// A verdict, and the counts that were told last.
#[derive(PartialEq, Eq)]
struct Outcome {
    verdict: String,
    counts: String,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.verdict, self.counts)
    }
}

/// The programs of the tables and the examples.
fn subjects() -> Vec<Subject> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    let folder = rely_bench::set::benchmarks(&root).expect("the repository has benchmarks");
    let papers = rely_bench::set::resolve("papers", Some(&folder), Path::new("")).expect("all can be read");
    files.extend(papers.tasks.into_iter().filter(|task| task.goal == Goal::Assert).map(|task| task.input));
    for entry in std::fs::read_dir(root.join("examples")).expect("there are examples") {
        let path = entry.expect("the folder can be read").path();
        let is_program = path.extension().is_some_and(|extension| extension == "c" || extension == "rely");
        files.extend(is_program.then_some(path));
    }
    files.sort();
    files.dedup();
    let subject = |path: PathBuf| {
        let source = input::read(&path, &InputArgs::default()).ok()?;
        let loaded = load(&source).ok()?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some(Subject { name, loaded })
    };
    files.into_iter().filter_map(subject).collect()
}

/// What a strategy says of a program; `None` if there was no time.
fn outcome(subject: &Subject, strategy: &'static str, limits: Limits, time: Duration) -> Option<Outcome> {
    let options = StrategyOptions { limits, ..StrategyOptions::default() };
    let is_portfolio = strategy == "portfolio";
    let strategy = strategy_with(strategy, options).expect("it is there");
    let budget = Budget::builder().time(time).build();
    let counts = LastCounts::default();
    let verified = verify(&subject.loaded.program, Goal::Assert, strategy.as_ref(), &budget, &counts);
    budget.check_now().ok()?;
    let counts = counts.0.into_inner().expect("nobody panics");
    let shown = counts.iter().filter(|_| !is_portfolio).map(|(name, count)| format!("{count} {name}"));
    let counts = shown.collect::<Vec<_>>().join(", ");
    Some(Outcome { verdict: verified.verdict.name().to_owned(), counts })
}
