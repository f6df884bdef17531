//! How many iterations and constraints the deductive engine needs for the programs of the paper,
//! against the paper's averages (5 iterations, 271 constraints).
//!
//! `cargo run --release -p rely-engines --example deductive_table -- [model.rely ...]`

#![allow(clippy::print_stdout)] // a command talks to the terminal

use rely_base::{Budget, Silent, SourceMap};
use rely_engines::Deductive;
use rely_engines::deductive::Attempt;
use rely_evidence::check;
use rely_passes::prepare;
use rely_program::Goal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// P1 to P12 of the paper.
const PROGRAMS: [&str; 12] = [
    "popl11/peterson",
    "popl11/naive-bakery",
    "popl11/bakery",
    "popl11/readers-writer-lock",
    "popl11/szymanski",
    "popl11/time-varying-mutex",
    "regasol/loop1-10",
    "regasol/loop1-100",
    "regasol/loop2-10-20",
    "regasol/loop2-100-200",
    "regasol/loop3-10-20",
    "regasol/loop3-100-200",
];

fn main() {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks");
        paths = PROGRAMS.iter().map(|name| folder.join(name).with_extension("rely")).collect();
    }
    println!(
        "{:24} {:8} {:>10} {:>11} {:>10} {:>10}",
        "program", "verdict", "iterations", "constraints", "engine", "checker"
    );
    let mut totals = (0, 0);
    for path in &paths {
        let (iterations, constraints) = row(path);
        totals = (totals.0 + iterations, totals.1 + constraints);
    }
    let average = |total: u64| total as f64 / paths.len() as f64;
    println!("{:24} {:8} {:>10.1} {:>11.1}", "average", "", average(totals.0), average(totals.1));
    println!("{:24} {:8} {:>10} {:>11}", "paper (REGASOL+)", "", 5, 271);
}

/// Prints the numbers of one program; its iterations and constraints.
fn row(path: &Path) -> (u64, u64) {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("{name:24} cannot be read");
        return (0, 0);
    };
    let mut sources = SourceMap::new();
    let file = sources.add(name.clone(), text);
    let Ok(program) = rely_model_front::translate(&sources, file) else {
        println!("{name:24} is no model");
        return (0, 0);
    };
    let (program, _) = prepare(&program, Goal::Assert);
    let budget = Budget::builder().time(Duration::from_secs(60)).build();
    let start = Instant::now();
    let deduction = Deductive::default().deduce(&program, Goal::Assert, &budget, &Silent);
    let engine = start.elapsed();
    let iterations = |attempt: &Attempt| attempt.iterations.len() as u64;
    let constraints = |attempt: &Attempt| attempt.iterations.iter().map(|one| one.constraints).sum::<u64>();
    let iterations: u64 = deduction.attempts.iter().map(iterations).sum();
    let constraints: u64 = deduction.attempts.iter().map(constraints).sum();
    let start = Instant::now();
    let verdict = check(&program, Goal::Assert, deduction.claim, &budget).into_verdict();
    let checker = start.elapsed();
    println!(
        "{name:24} {:8} {iterations:>10} {constraints:>11} {engine:>10.1?} {checker:>10.1?}",
        verdict.name()
    );
    (iterations, constraints)
}
