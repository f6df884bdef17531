//! The differential campaigns against z3, in full.
//!
//! `cargo run --release -p rely-logic --example differential -- [SEED]`

#![allow(clippy::print_stdout)] // this is a command

#[path = "../tests/differential/campaign/mod.rs"]
mod campaign;

use campaign::{conjunctions, oracle};

fn main() {
    let seed = std::env::args().nth(1).map_or(1, |seed| seed.parse().expect("a number as seed"));
    let mut z3 = oracle::z3().expect("z3 must be installed for this");
    println!("conjunctions: {}", conjunctions::run(&mut z3, seed, 200_000));
}
