//! Which passes the proofs of the examples and of the papers' tables trust: for each program whose assertions hold, and
//! for each pass that has changed one of them.
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
use std::time::Duration;

const FOLDERS: [&str; 6] = [
    "examples",
    "benchmarks/deductive",
    "benchmarks/pacman",
    "benchmarks/popl11",
    "benchmarks/redcomp",
    "benchmarks/regasol",
];
const PATIENCE: Duration = Duration::from_secs(20);

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = if named.is_empty() { FOLDERS.map(str::to_owned).to_vec() } else { named };
    let (mut safe, mut trusting) = (0, 0);
    let mut passes: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for path in folders.iter().flat_map(|folder| programs(&root.join(folder))) {
        let Some(verified) = verified(&path) else { continue };
        let Verdict::Safe(proved) = &verified.verdict else { continue };
        let name = path.strip_prefix(&root).unwrap_or(&path).display();
        println!("{name}: {}\n  trusted: {}", proved.evidence(), verified.trusted.join(", "));
        safe += 1;
        trusting += usize::from(!verified.trusted.is_empty());
        for pass in verified.back.changed_by() {
            passes.entry(pass).or_default().0 += 1;
        }
        for pass in verified.trusted {
            passes.entry(pass).or_default().1 += 1;
        }
    }
    println!("{} of {safe} proofs trust no pass", safe - trusting);
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

fn verified(path: &Path) -> Option<Verified> {
    let input = input::read(path, &InputArgs::default()).ok()?;
    let loaded = rely_verify::load(&input).ok()?;
    let strategy = strategy("portfolio").expect("there is a portfolio");
    let how = (CriticalSections::Atomic, Trust::default());
    let budget = Budget::builder().time(PATIENCE).build();
    Some(rely_verify::verify_trusting(
        &loaded.program,
        Goal::Assert,
        how,
        strategy.as_ref(),
        &budget,
        &Silent,
    ))
}
