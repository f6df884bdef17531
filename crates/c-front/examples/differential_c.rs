//! Compares what random sequential programs do with what gcc makes of them, for as long as one
//! likes.
//!
//! `cargo run --release -p rely-c-front --example differential_c -- 600 1000` runs for ten minutes,
//! on the seeds from 1000 on, and stops at the first program that differs, which it prints. The
//! tests run the first seeds.

#[path = "../tests/suite/arithmetic.rs"]
mod arithmetic;
#[path = "../tests/suite/generated.rs"]
mod generated;
#[path = "../tests/suite/memory/mod.rs"]
mod memory;
#[path = "../tests/suite/random.rs"]
mod random;
#[path = "../tests/suite/versus_gcc.rs"]
mod versus_gcc;

use std::io::Write;
use std::time::{Duration, Instant};
use versus_gcc::{Summary, compare};

/// So many programs are compiled at once.
const BATCH: u64 = 40;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let seconds = arguments.next().and_then(Result::ok).unwrap_or(60);
    let seed = arguments.next().and_then(Result::ok).unwrap_or(1000);
    let mut out = std::io::stdout().lock();
    let ends_alike = if versus_gcc::is_gcc_there() {
        run(&mut out, Duration::from_secs(seconds), seed)
    } else {
        writeln!(out, "there is no gcc to compare with").map(|()| false)
    };
    match ends_alike {
        Ok(true) => {}
        Ok(false) => std::process::exit(1),
        Err(error) => panic!("standard output is closed: {error}"),
    }
}

/// Compares programs until the time is over; returns whether all were alike.
fn run(out: &mut impl Write, time: Duration, first: u64) -> std::io::Result<bool> {
    let (start, mut seed, mut total) = (Instant::now(), first, Summary::default());
    while start.elapsed() < time {
        let seeds = seed..seed + BATCH;
        let is_arithmetic = (seed / BATCH).is_multiple_of(4);
        let compared = match is_arithmetic {
            true => compare(seeds, arithmetic::generate),
            false => compare(seeds, memory::generate),
        };
        match compared {
            Ok(more) => {
                total.programs += more.programs;
                total.traps += more.traps;
                total.narrowed += more.narrowed;
            }
            Err(difference) => {
                writeln!(out, "{difference}")?;
                return Ok(false);
            }
        }
        seed += BATCH;
    }
    let Summary { programs, traps, narrowed } = total;
    writeln!(
        out,
        "{programs} programs from seed {first} on end alike, {traps} of them in a trap, {narrowed} overflow for us alone"
    )?;
    Ok(true)
}
