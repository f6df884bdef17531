//! Compares the embedded preprocessor with the compiler's on many programs, and measures both.
//!
//! `cargo run --release --example preprocessors -- FILE...` counts on how many files the two are
//! equal, the embedded one declines, and they differ; `--time` in front measures them on each
//! file instead.

#![allow(clippy::print_stdout)]

#[path = "../tests/suite/preprocessors.rs"]
mod preprocessors;

use preprocessors::{Outcome, compare};
use rely::args::InputArgs;
use rely::preprocess::{Source, embedded, system};
use rely_base::Budget;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often each preprocessor is measured.
const RUNS: usize = 20;

fn main() {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if arguments.first().is_some_and(|first| first == Path::new("--time")) {
        arguments.remove(0);
        arguments.iter().for_each(|path| measure(path));
    } else {
        count(&arguments);
    }
}

fn count(paths: &[PathBuf]) {
    let (mut equal, mut to_the_byte, mut different) = (0, 0, 0);
    let mut declined: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        match compare(path, &InputArgs::default()) {
            Outcome::Equal { to_the_byte: is_exact } => {
                equal += 1;
                to_the_byte += usize::from(is_exact);
                if !is_exact {
                    println!("{}: other white space", path.display());
                }
            }
            Outcome::Declined(reason) => *declined.entry(reason).or_default() += 1,
            Outcome::Different(difference) => {
                different += 1;
                println!("{}: {difference}", path.display());
            }
        }
    }
    for (reason, count) in &declined {
        println!("{count:5} declined: {reason}");
    }
    let declined: usize = declined.values().sum();
    println!("equal {equal} (to the byte {to_the_byte}), declined {declined}, different {different}");
}

fn measure(path: &Path) {
    let text = std::fs::read(path).expect("the program can be read");
    let name = path.display().to_string();
    let source = Source { path, name: &name, text: &text, is_stdin: false };
    let options = InputArgs::default();
    let ours = median(|| embedded::run(source, &options, &Budget::unlimited()).is_ok());
    let theirs = median(|| system::run(source, &options, &Budget::unlimited()).is_ok());
    println!("{name}: embedded {ours:?}, compiler {theirs:?}");
}

fn median(run: impl Fn() -> bool) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            assert!(run(), "the preprocessor gives a text");
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}
