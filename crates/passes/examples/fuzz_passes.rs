//! Checks passes on random programs: `fuzz_passes [FIRST_SEED [PROGRAMS [PASS]]]`, and on programs
//! whose representation was edited at random: `fuzz_passes edits [FIRST_SEED [PROGRAMS [PASS]]]`.
//!
//! Stops at the first program whose verdict a pass changes, or of which a trace cannot be
//! translated back, and prints it.

#[path = "../tests/suite/random/mod.rs"]
mod random;

use random::preservation::{CASES, Case, Coverage, MOST_STATES, Original};
use rely_testing::random::{self as generator, edits};
use std::process::ExitCode;

/// What to do, from the command line.
struct Arguments {
    edits: bool,
    first: u64,
    programs: u64,
    cases: Vec<&'static Case>,
}

impl Arguments {
    fn new() -> Self {
        let mut arguments: Vec<String> = std::env::args().skip(1).collect();
        let edits = arguments.first().is_some_and(|first| first == "edits");
        if edits {
            arguments.remove(0);
        }
        let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
        let is_meant = |case: &&Case| arguments.get(2).is_none_or(|only| only == case.name);
        Self {
            edits,
            first: number(0).unwrap_or(0),
            programs: number(1).unwrap_or(10_000),
            cases: CASES.iter().filter(is_meant).collect(),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::new();
    let found = if arguments.edits { check_edits(&arguments) } else { check_generated(&arguments) };
    match found {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            say(&reason);
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout)] // a command talks to its user
fn say(text: &str) {
    println!("{text}");
}

fn check_generated(arguments: &Arguments) -> Result<(), String> {
    for case in &arguments.cases {
        let mut coverage = Coverage::default();
        for seed in arguments.first..arguments.first + arguments.programs {
            for program in
                [generator::program(seed), generator::locking::program(seed), generator::beginning(seed)]
            {
                case.check(&mut coverage, &mut Original::new(program, MOST_STATES))
                    .map_err(|reason| format!("seed {seed}: {reason}"))?;
            }
        }
        say(&format!("{}: {coverage:?}", case.name));
    }
    Ok(())
}

fn check_edits(arguments: &Arguments) -> Result<(), String> {
    let mut coverages: Vec<Coverage> = arguments.cases.iter().map(|_| Coverage::default()).collect();
    let (mut malformed, mut wellformed) = (0, 0);
    for seed in arguments.first..arguments.first + arguments.programs {
        let Ok(program) = edits::program(seed) else {
            malformed += 1;
            continue;
        };
        wellformed += 1;
        if wellformed % 1_000 == 0 {
            say(&format!("{wellformed} programs, {malformed} malformed, no difference up to seed {seed}"));
        }
        let mut original = Original::new(program, edits::MOST_STATES);
        for (case, coverage) in arguments.cases.iter().zip(&mut coverages) {
            case.check(coverage, &mut original).map_err(|reason| format!("seed {seed}: {reason}"))?;
        }
    }
    for (case, coverage) in arguments.cases.iter().zip(&coverages) {
        say(&format!("{}: {coverage:?}", case.name));
    }
    say(&format!("{wellformed} programs, {malformed} malformed"));
    Ok(())
}
