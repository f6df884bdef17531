//! What several workers gain: parallel sums, in which each thread adds its own numbers, with one
//! worker and with more. The threads differ, so that symmetry does not make one of them all.
//!
//! `cargo run --release -p rely-engines --example deductive_workers -- [threads] [workers] [runs]`

#![allow(clippy::print_stdout)] // a command talks to the terminal

use rely_base::{Budget, Silent, SourceMap};
use rely_engines::Deductive;
use rely_engines::deductive::DeductiveOptions;
use rely_evidence::Claim;
use rely_passes::prepare;
use rely_program::{Goal, Program};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let most_threads = arguments.next().unwrap_or(6);
    let most_workers = arguments.next().unwrap_or(2);
    let runs = arguments.next().unwrap_or(5);
    println!("{:>7} {:>7} {:>10} {:>8}  (best of {runs} runs)", "threads", "workers", "time", "speedup");
    for threads in 3..=most_threads {
        let program = parallel_sum(threads);
        let alone = measure(&program, 1, runs);
        for workers in 1..=most_workers {
            let time = if workers == 1 { alone } else { measure(&program, workers, runs) };
            let speedup = alone.as_secs_f64() / time.as_secs_f64();
            println!("{threads:>7} {workers:>7} {time:>10.1?} {speedup:>8.2}");
        }
    }
}

/// The shortest time of some runs.
fn measure(program: &Program, workers: usize, runs: usize) -> Duration {
    let engine =
        Deductive { options: DeductiveOptions { workers: Some(workers), ..DeductiveOptions::default() } };
    let run = |_| {
        let start = Instant::now();
        let deduction = engine.deduce(program, Goal::Assert, &Budget::unlimited(), &Silent);
        assert!(matches!(deduction.claim, Claim::Safe(_)), "the sum is right");
        start.elapsed()
    };
    (0..runs).map(run).min().unwrap_or_default()
}

/// Thread number k adds k to the sum, and then once more what it has added.
fn parallel_sum(threads: usize) -> Program {
    let mut text = "var sum: int = 0;\n".to_owned();
    for thread in 1..=threads {
        text += &format!(
            "thread T{thread} {{ local t: int = 0; t := {thread}; sum := sum + t; sum := sum + t; }}\n"
        );
    }
    text += &format!("ensures sum == {};\n", threads * (threads + 1));
    let mut sources = SourceMap::new();
    let file = sources.add("parallel sum", text);
    let program = rely_model_front::translate(&sources, file).expect("the text is a model");
    prepare(&program, Goal::Assert).0
}
