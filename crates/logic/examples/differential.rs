//! The differential campaigns against z3, in full.
//!
//! `cargo run --release -p rely-logic --example differential -- [SEED [SHARE]]`
//!
//! SHARE is how many percent of the questions are asked, 100 if it is not given.

#![allow(clippy::print_stdout)] // this is a command

#[path = "../tests/differential/campaign/mod.rs"]
mod campaign;

use campaign::oracle::Oracle;
use campaign::{Report, clauses, conjunctions, entailments, formulas, interpolants, operations, problems};
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let seed = numbers.next().unwrap_or(1);
    let percent = numbers.next().unwrap_or(100) as usize;
    let count = |questions: usize| questions * percent / 100;
    let mut z3 = Oracle::new().expect("z3 must be installed for this");
    tell(&mut z3, "conjunctions", |z3| conjunctions::run(z3, seed, count(200_000)));
    tell(&mut z3, "entailments", |z3| entailments::run(z3, seed, count(200_000)));
    tell(&mut z3, "formulas", |z3| formulas::run(z3, seed, count(20_000)));
    tell(&mut z3, "operations beyond linear", |z3| operations::run(z3, seed, count(10_000)));
    tell(&mut z3, "interpolants of pairs", |z3| interpolants::run(z3, seed, count(50_000), problems::pair));
    tell(&mut z3, "interpolants of sequences", |z3| {
        interpolants::run(z3, seed, count(10_000), problems::sequence)
    });
    tell(&mut z3, "interpolants of trees", |z3| interpolants::run(z3, seed, count(10_000), problems::tree));
    tell(&mut z3, "Horn clauses", |z3| clauses::run(z3, seed, count(10_000)));
}

fn tell(z3: &mut Oracle, what: &str, campaign: impl FnOnce(&mut Oracle) -> Report) {
    let start = Instant::now();
    let report = campaign(z3);
    println!("{what}: {report} ({:.0} s)", start.elapsed().as_secs_f64());
}
