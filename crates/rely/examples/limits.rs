//! Which verdicts and counts depend on the limits of the engines.
//!
//! ```text
//! cargo run --release -p rely --example limits -- [SECONDS] [PATTERN]
//! ```
//!
//! Runs the tasks of the papers' tables and the examples, first with the usual limits, then with each
//! limit halved and doubled, and prints what came out differently. A pattern chooses limits whose name
//! contains it. Within SECONDS (10 unless said otherwise) what took longer is left out of the comparison.

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
    let seconds = arguments.next().map_or(Ok(10), |text| text.parse());
    let Ok(seconds) = seconds else {
        eprintln!("usage: limits [SECONDS] [PATTERN]");
        std::process::exit(2);
    };
    let pattern = arguments.next().unwrap_or_default();
    let time = Duration::from_secs(seconds);
    let subjects = subjects();
    let usual: Vec<Option<String>> =
        subjects.iter().map(|subject| outcome(subject, Limits::default(), time)).collect();
    println!("{} programs, {} of them decided in time", subjects.len(), usual.iter().flatten().count());
    for (name, value) in Limits::default().entries().into_iter().filter(|(name, _)| name.contains(&pattern)) {
        for changed in [value / 2, value.saturating_mul(2)] {
            let mut limits = Limits::default();
            assert!(limits.set(&name, changed), "the limit is listed");
            println!("{name} = {changed} instead of {value}");
            for (subject, usual) in subjects.iter().zip(&usual) {
                let Some(usual) = usual else { continue };
                match outcome(subject, limits, time) {
                    Some(outcome) if outcome == *usual => {}
                    Some(outcome) => println!("  {}: {outcome} instead of {usual}", subject.name),
                    None => println!("  {}: nothing in time instead of {usual}", subject.name),
                }
            }
        }
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

/// The verdict and the counts of rely-guarantee reasoning; `None` if there was no time.
fn outcome(subject: &Subject, limits: Limits, time: Duration) -> Option<String> {
    let options = StrategyOptions { limits, ..StrategyOptions::default() };
    let strategy = strategy_with("rely-guarantee", options).expect("it is there");
    let budget = Budget::builder().time(time).build();
    let counts = LastCounts::default();
    let verified = verify(&subject.loaded.program, Goal::Assert, strategy.as_ref(), &budget, &counts);
    budget.check_now().ok()?;
    let counts = counts.0.into_inner().expect("nobody panics");
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let engine = verified.engine.map(|engine| format!(" by {engine}")).unwrap_or_default();
    Some(format!("{}{engine} ({})", verified.verdict.name(), counts.join(", ")))
}
