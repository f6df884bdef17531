//! Compares what random sequential programs do with what gcc makes of them, for as long as one
//! likes.
//!
//! `cargo run --release -p rely-c-front --example differential_c -- 600 1000` runs for ten minutes,
//! on the seeds from 1000 on, and stops at the first program that differs, which it prints. The
//! tests run the first seeds.
//!
//! `... --example differential_c -- initializers 5000` does the same with 5,000 programs about one
//! thing, from seed 1000 on or from the seed that follows the number; so do `layouts 2000`,
//! `conversions 2000`, `punning 2000`, `library 2000`, `floats 2000` and `together 2000`.

#[path = "../tests/suite/arithmetic.rs"]
mod arithmetic;
#[path = "../tests/suite/conversions.rs"]
mod conversions;
#[path = "../tests/suite/effects.rs"]
mod effects;
#[path = "../tests/suite/floats.rs"]
mod floats;
#[path = "../tests/suite/generated.rs"]
mod generated;
#[path = "../tests/suite/initializers.rs"]
mod initializers;
#[path = "../tests/suite/layouts.rs"]
mod layouts;
#[path = "../tests/suite/library.rs"]
mod library;
#[path = "../tests/suite/memory/mod.rs"]
mod memory;
#[path = "../tests/suite/punning.rs"]
mod punning;
#[path = "../tests/suite/random.rs"]
mod random;
#[path = "../tests/suite/together.rs"]
mod together;
#[path = "../tests/suite/versus_gcc.rs"]
mod versus_gcc;

use generated::Generated;
use std::io::Write;
use std::time::{Duration, Instant};
use versus_gcc::{Summary, Undefined, compare};

/// So many programs are compiled at once.
const BATCH: u64 = 40;

/// The same for programs about one thing, which are smaller.
const LARGE_BATCH: u64 = 200;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| words.get(index).and_then(|text| text.parse::<u64>().ok());
    let topic = words.first().filter(|word| word.parse::<u64>().is_err());
    let mut out = std::io::stdout().lock();
    let ends_alike = match topic {
        _ if !versus_gcc::is_gcc_there() => writeln!(out, "there is no gcc to compare with").map(|()| false),
        Some(topic) => run_topic(&mut out, topic, number(1).unwrap_or(1000), number(2).unwrap_or(1000)),
        None => {
            let time = Duration::from_secs(number(0).unwrap_or(60));
            run(&mut out, time, number(1).unwrap_or(1000))
        }
    };
    match ends_alike {
        Ok(true) => {}
        Ok(false) => std::process::exit(1),
        Err(error) => panic!("standard output is closed: {error}"),
    }
}

/// Compares so many programs about one thing; returns whether all were alike.
fn run_topic(out: &mut impl Write, topic: &str, count: u64, first: u64) -> std::io::Result<bool> {
    let (generate, undefined): (fn(u64) -> Generated, Undefined) = match topic {
        "initializers" => (initializers::generate, Undefined::Never),
        "layouts" => (layouts::generate, Undefined::Never),
        "conversions" => (conversions::generate, Undefined::Traps),
        "punning" => (punning::generate, Undefined::Never),
        "library" => (library::generate, Undefined::Never),
        "floats" => (floats::generate, Undefined::Never),
        "together" => (together::generate, Undefined::Never),
        _ => {
            let told = "there are initializers, layouts, conversions, punning, library, floats and together";
            return writeln!(out, "{told}").map(|()| false);
        }
    };
    let mut total = Summary::default();
    for seed in (first..first + count).step_by(LARGE_BATCH as usize) {
        let seeds = seed..(seed + LARGE_BATCH).min(first + count);
        match compare(seeds, undefined, generate) {
            Ok(more) => total.add(more),
            Err(difference) => return writeln!(out, "{difference}").map(|()| false),
        }
    }
    total.tell(out, first).map(|()| true)
}

/// Compares programs until the time is over; returns whether all were alike.
fn run(out: &mut impl Write, time: Duration, first: u64) -> std::io::Result<bool> {
    let (start, mut seed, mut total) = (Instant::now(), first, Summary::default());
    while start.elapsed() < time {
        let seeds = seed..seed + BATCH;
        let compared = match seed / BATCH % 4 {
            0 => compare(seeds, Undefined::Traps, arithmetic::generate),
            1 => compare(seeds, Undefined::Traps, effects::generate),
            _ => compare(seeds, Undefined::Traps, memory::generate),
        };
        match compared {
            Ok(more) => total.add(more),
            Err(difference) => return writeln!(out, "{difference}").map(|()| false),
        }
        seed += BATCH;
    }
    total.tell(out, first).map(|()| true)
}

impl Summary {
    fn add(&mut self, more: Summary) {
        self.programs += more.programs;
        self.traps += more.traps;
        self.narrowed += more.narrowed;
    }

    fn tell(&self, out: &mut impl Write, first: u64) -> std::io::Result<()> {
        let Summary { programs, traps, narrowed } = self;
        writeln!(
            out,
            "{programs} programs from seed {first} on end alike, {traps} of them in a trap, {narrowed} overflow \
             for us alone"
        )
    }
}
