//! Generated programs against the deductive engine: every answer is compared with the naive
//! reference, and every proof and every run goes through the checker. Prints what was found.
//!
//! `cargo run --release -p rely-engines --example deductive_campaign -- [programs] [first seed]`

#![allow(clippy::print_stdout)] // a command talks to the terminal

use rely_base::{Budget, Silent};
use rely_engines::{Deductive, Engine};
use rely_evidence::{Reason, Verdict, check};
use rely_passes::prepare;
use rely_program::{Goal, Program};
use rely_testing::{Answer, Reference, generate};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many states the reference visits at most.
const MOST_STATES: usize = 1_000_000;

/// How many seeds of each reason are printed.
const SHOWN_SEEDS: usize = 8;

#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    safe: usize,
    proved: usize,
    violated: usize,
    shown: usize,
    meaningless: usize,
    disagreements: usize,
    rejected: usize,
    /// Why programs that are safe were not proved, with the first seeds of each reason.
    not_proved: BTreeMap<String, Vec<u64>>,
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let programs = arguments.next().unwrap_or(5_000);
    let mut seed = arguments.next().unwrap_or(0);
    let start = Instant::now();
    let mut tally = Tally::default();
    while tally.programs < programs as usize {
        let sample = generate(seed);
        if matches!(sample.goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            // What the passes leave is what engines are asked about; dead code may mean nothing.
            let (program, _) = prepare(&sample.program, sample.goal);
            let expected = Reference::new(&program, sample.goal).answer(MOST_STATES);
            compare(seed, &program, sample.goal, &expected, &mut tally);
        }
        seed += 1;
    }
    for (reason, seeds) in &mut tally.not_proved {
        println!("{} safe programs not proved: {reason}", seeds.len());
        seeds.truncate(SHOWN_SEEDS);
    }
    println!("{tally:#?}\nin {:.1?}, seeds up to {seed}", start.elapsed());
    if tally.disagreements + tally.rejected > 0 {
        std::process::exit(1);
    }
}

fn compare(seed: u64, program: &Program, goal: Goal, expected: &Answer, tally: &mut Tally) {
    let budget = Budget::builder().time(Duration::from_secs(10)).build();
    let claim = Deductive::default().run(program, goal, &budget, &Silent);
    let verdict = check(program, goal, claim, &budget).into_verdict();
    tally.programs += 1;
    match expected {
        Answer::Safe { .. } => tally.safe += 1,
        Answer::Unsafe { .. } => tally.violated += 1,
        _ => tally.meaningless += 1,
    }
    match (&verdict, expected) {
        (Verdict::Safe(_), Answer::Safe { .. }) => tally.proved += 1,
        (Verdict::Unsafe(_), Answer::Unsafe { .. }) => tally.shown += 1,
        (Verdict::Unknown(Reason::Rejected(rejection)), _) => {
            println!("seed {seed}: rejected: {rejection}");
            tally.rejected += 1;
        }
        (Verdict::Unknown(reason), Answer::Safe { .. }) => {
            tally.not_proved.entry(reason.to_string()).or_default().push(seed);
        }
        (Verdict::Unknown(_), _) => {}
        (verdict, expected) => {
            println!("seed {seed}: {} but {expected:?}", verdict.name());
            tally.disagreements += 1;
        }
    }
}
