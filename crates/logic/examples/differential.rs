//! The differential campaigns against z3, in full.
//!
//! `cargo run --release -p rely-logic --example differential -- [SEED [SHARE [NAME]]]`
//!
//! SHARE is how many percent of the questions are asked, 100 if it is not given. With a NAME, only
//! the campaigns run whose name contains it.

#![allow(clippy::print_stdout)] // this is a command

#[path = "../tests/differential/campaign/mod.rs"]
mod campaign;

use campaign::oracle::Oracle;
use campaign::{Report, clauses, conjunctions, entailments, formulas, interpolants, operations, problems};
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |position: usize, default: u64| {
        arguments.get(position).map_or(default, |word| word.parse().expect("a number"))
    };
    let seed = number(0, 1);
    let percent = number(1, 100) as usize;
    let wanted = arguments.get(2).map_or("", String::as_str);
    let count = |questions: usize| questions * percent / 100;
    let mut z3 = Oracle::new().expect("z3 must be installed for this");
    let mut tell = |name: &str, campaign: &dyn Fn(&mut Oracle) -> Report| {
        if name.contains(wanted) {
            let start = Instant::now();
            let report = campaign(&mut z3);
            println!("{name}: {report} ({:.0} s)", start.elapsed().as_secs_f64());
        }
    };
    tell("conjunctions", &|z3| conjunctions::run(z3, seed, count(200_000)));
    tell("entailments", &|z3| entailments::run(z3, seed, count(200_000)));
    tell("formulas", &|z3| formulas::run(z3, seed, count(20_000)));
    tell("operations beyond linear", &|z3| operations::run(z3, seed, count(10_000)));
    tell("interpolants of pairs", &|z3| interpolants::run(z3, seed, count(50_000), problems::pair));
    tell("interpolants of sequences", &|z3| interpolants::run(z3, seed, count(10_000), problems::sequence));
    tell("interpolants of trees", &|z3| interpolants::run(z3, seed, count(10_000), problems::tree));
    tell("interpolants of Horn clauses", &|z3| clauses::run(z3, seed, count(10_000)));
}
