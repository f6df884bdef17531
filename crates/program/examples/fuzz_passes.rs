//! Checks passes on random programs: `fuzz_passes [FIRST_SEED [PROGRAMS [PASS]]]`.
//!
//! Stops at the first program whose verdict a pass changes, or of which a trace cannot be
//! translated back, and prints it.

#[path = "../tests/suite/random/mod.rs"]
mod random;

use random::generator;
use random::preservation::{CASES, Coverage};
use std::process::ExitCode;

#[allow(clippy::print_stdout)] // a command talks to its user
fn main() -> ExitCode {
    let only = std::env::args().nth(3);
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap_or(0));
    let first = numbers.next().unwrap_or(0);
    let programs = numbers.next().unwrap_or(10_000);
    for case in CASES.iter().filter(|case| only.as_ref().is_none_or(|only| only == case.name)) {
        let mut coverage = Coverage::default();
        for seed in first..first + programs {
            for program in
                [generator::program(seed), generator::locking::program(seed), generator::beginning(seed)]
            {
                if let Err(reason) = case.check(&mut coverage, &program) {
                    println!("seed {seed}: {reason}");
                    return ExitCode::FAILURE;
                }
            }
        }
        println!("{}: {coverage:?}", case.name);
    }
    ExitCode::SUCCESS
}
