//! Which passes the proofs of the examples, of the papers' tables and of the tests trust: for each program whose assertions
//! hold, and for each pass that has changed one of them. And what it costs to trust none of them: the time of the way back,
//! with the check of what comes out, compared with the time for the proof.
//!
//! ```sh
//! cargo run --release -p rely --example trusted -- [FOLDER...]
//! ```

#![allow(clippy::print_stdout)] // a command talks to the terminal

use rely::{args::InputArgs, input};
use rely_base::{Budget, Silent};
use rely_evidence::Verdict;
use rely_passes::CriticalSections;
use rely_program::Goal;
use rely_verify::{Trust, Verified, strategy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FOLDERS: [&str; 12] = [
    "examples",
    "benchmarks/deductive",
    "benchmarks/pacman",
    "benchmarks/popl11",
    "benchmarks/redcomp",
    "benchmarks/regasol",
    "crates/rely/tests/counting",
    "crates/rely/tests/deadlocks",
    "crates/rely/tests/explanations",
    "crates/rely/tests/races",
    "crates/rely/tests/reproducers",
    "crates/rely/tests/termination",
];
const PATIENCE: Duration = Duration::from_secs(20);

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = if named.is_empty() { FOLDERS.map(str::to_owned).to_vec() } else { named };
    let (mut safe, mut trusting) = (0, 0);
    let mut costs: Vec<f64> = Vec::new();
    let mut passes: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for path in folders.iter().flat_map(|folder| programs(&root.join(folder))) {
        let Some((verified, cost)) = verified(&path) else { continue };
        let Verdict::Safe(proved) = &verified.verdict else { continue };
        let name = path.strip_prefix(&root).unwrap_or(&path).display();
        println!("{name}: {}\n  trusted: {}", proved.evidence(), verified.trusted.join(", "));
        safe += 1;
        costs.push(cost);
        trusting += usize::from(!verified.trusted.is_empty());
        for pass in verified.back.changed_by() {
            passes.entry(pass).or_default().0 += 1;
        }
        for pass in verified.trusted {
            passes.entry(pass).or_default().1 += 1;
        }
    }
    println!("{} of {safe} proofs trust no pass", safe - trusting);
    costs.sort_by(f64::total_cmp);
    let median = costs.get(costs.len() / 2).copied().unwrap_or_default();
    println!("the way back and its check take {median:.2} of the time for the proof in the median");
    println!("{:24} {:>8} {:>8}", "pass", "changes", "trusted");
    for (pass, (changed, trusted)) in passes {
        println!("{pass:24} {changed:8} {trusted:8}");
    }
}

/// The programs of a folder, in order.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("there is such a folder");
    let is_program =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == "rely");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("readable").path()).filter(is_program).collect();
    paths.sort();
    paths
}

/// What is known of a program, and the time for the way back as a part of the time for the proof alone.
fn verified(path: &Path) -> Option<(Verified, f64)> {
    let input = input::read(path, &InputArgs::default()).ok()?;
    let loaded = rely_verify::load(&input).ok()?;
    let strategy = strategy("portfolio").expect("there is a portfolio");
    let run = |trust: Trust| {
        let how = (CriticalSections::Atomic, trust);
        let budget = Budget::builder().time(PATIENCE).build();
        let (program, start) = (&loaded.program, Instant::now());
        let verified =
            rely_verify::verify_trusting(program, Goal::Assert, how, strategy.as_ref(), &budget, &Silent);
        (verified, start.elapsed().as_secs_f64())
    };
    let ((_, proving), (verified, both)) = (run(Trust::Passes), run(Trust::FewestPasses));
    Some((verified, (both - proving).max(0.0) / proving))
}
