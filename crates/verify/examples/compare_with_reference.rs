//! Compares an engine with the naive reference on generated programs.
//!
//! ```text
//! cargo run --release -p rely-verify --example compare_with_reference -- ENGINE FIRST COUNT [SECONDS]
//! ```
//!
//! Every claim goes through the evidence check. A verdict that differs from the reference ends the
//! run with the seed; what the engine does not know is counted by reason.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a command talks to the terminal

use rely_base::{Budget, Silent};
use rely_evidence::{Verdict, check};
use rely_program::Goal;
use rely_testing::{Answer, Reference, Sample, generate};
use rely_verify::{Strategy, Task, strategy};
use std::collections::BTreeMap;
use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, numbers @ ..] = arguments.as_slice() else { return usage() };
    let numbers: Result<Vec<u64>, _> = numbers.iter().map(|number| number.parse()).collect();
    let (engine, first, count, seconds) = match (strategy(name), numbers.as_deref()) {
        (Ok(engine), Ok(&[first, count])) => (engine, first, count, 10),
        (Ok(engine), Ok(&[first, count, seconds])) => (engine, first, count, seconds),
        _ => return usage(),
    };
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    let mut compared = 0;
    for seed in first.. {
        if compared == count {
            break;
        }
        let sample = generate(seed);
        if matches!(sample.goal, Goal::Assert | Goal::Overflow) {
            *tally.entry(compare(seed, &sample, engine.as_ref(), seconds)).or_default() += 1;
            compared += 1;
        }
    }
    for (outcome, count) in tally {
        println!("{count:8}  {outcome}");
    }
}

fn usage() {
    eprintln!("usage: compare_with_reference ENGINE FIRST COUNT [SECONDS]");
    std::process::exit(2);
}

/// What came out, for the tally. Ends the run if the engine is wrong.
fn compare(seed: u64, sample: &Sample, strategy: &dyn Strategy, seconds: u64) -> String {
    let Sample { program, goal } = sample;
    let budget = Budget::builder().time(Duration::from_secs(seconds)).build();
    let (prepared, _) = rely_passes::prepare(program, *goal);
    // Generated programs do not check that what they compute has a meaning, as front ends do, so
    // the passes may drop a computation without one.
    let expected = match Reference::new(program, *goal).answer(1_000_000) {
        Answer::Meaningless => Reference::new(&prepared, *goal).answer(1_000_000),
        answer => answer,
    };
    let claim = strategy.claim(Task { program: &prepared, goal: *goal, observer: &Silent }, &budget).claim;
    let verdict = check(&prepared, *goal, claim, &budget).into_verdict();
    match (&verdict, &expected) {
        (Verdict::Safe(_), Answer::Safe { .. })
        | (Verdict::Unsafe(_), Answer::Unsafe { .. } | Answer::Stuck) => {
            format!("{}, as it should be", verdict.name())
        }
        (Verdict::Unknown(reason), expected) => {
            let expected = match expected {
                Answer::Safe { .. } => "safe",
                Answer::Unsafe { .. } | Answer::Stuck => "unsafe",
                Answer::Meaningless => "meaningless",
                Answer::TooMany => "too many states",
            };
            if std::env::var_os("LIST_UNKNOWN").is_some() {
                println!("seed {seed}: {reason} (expected {expected})");
            }
            format!("unknown instead of {expected}: {reason}")
        }
        // What cannot be continued may be unreachable for the simplified program's violation.
        (Verdict::Unsafe(_), Answer::Meaningless) => "unsafe where the reference stops".to_owned(),
        (verdict, expected) => {
            eprintln!("seed {seed}: {verdict:?}, but the reference says {expected:?}");
            std::process::exit(1);
        }
    }
}
