//! Random programs do what gcc makes of them. `examples/differential_c.rs` tries more
//! of them.

use crate::generated::Generated;
use crate::versus_gcc::{Summary, Undefined, compare, is_gcc_there};
use crate::{
    arithmetic, conversions, effects, floats, initializers, layouts, library, memory, punning, together,
};
use std::io::Write;

const ARITHMETIC: u64 = 60;
const MEMORY: u64 = 30;
const EFFECTS: u64 = 30;
const INITIALIZERS: u64 = 250;
const LAYOUTS: u64 = 200;
const CONVERSIONS: u64 = 200;
const PUNNING: u64 = 60;
const LIBRARY: u64 = 60;
const FLOATS: u64 = 100;
const TOGETHER: u64 = 30;

fn check(count: u64, generate: impl Fn(u64) -> Generated, traps: std::ops::Range<u64>) {
    if !is_gcc_there() {
        let told = writeln!(std::io::stderr(), "there is no gcc to compare with: nothing is tested here");
        return told.expect("standard error is open");
    }
    let undefined = if traps.end > 1 { Undefined::Traps } else { Undefined::Never };
    let Summary { programs, traps: trapped, narrowed } =
        compare(0..count, undefined, generate).unwrap_or_else(|difference| panic!("{difference}"));
    assert_eq!(programs as u64, count);
    assert!(traps.contains(&(trapped as u64)), "{trapped} programs trap");
    assert!(narrowed as u64 <= count / 20, "{narrowed} programs overflow for us alone");
}

#[test]
fn arithmetic_is_that_of_gcc() {
    check(ARITHMETIC, arithmetic::generate, ARITHMETIC / 20..ARITHMETIC * 9 / 10);
}

#[test]
fn memory_is_that_of_gcc() {
    check(MEMORY, memory::generate, 1..MEMORY / 2);
}

#[test]
fn initializers_are_those_of_gcc() {
    check(INITIALIZERS, initializers::generate, 0..1);
}

#[test]
fn layouts_are_those_of_gcc() {
    check(LAYOUTS, layouts::generate, 0..1);
}

#[test]
fn conversions_are_those_of_gcc() {
    check(CONVERSIONS, conversions::generate, CONVERSIONS / 20..CONVERSIONS * 9 / 10);
}

#[test]
fn operands_are_evaluated_as_gcc_evaluates_them() {
    check(EFFECTS, effects::generate, 0..1);
}

#[test]
fn memory_that_is_looked_at_in_several_ways_is_that_of_gcc() {
    check(PUNNING, punning::generate, 0..1);
}

#[test]
fn constants_with_points_are_those_of_gcc() {
    check(FLOATS, floats::generate, 0..1);
}

#[test]
fn threads_do_together_what_those_of_gcc_do() {
    check(TOGETHER, together::generate, 0..1);
}

#[test]
fn the_library_and_calls_are_those_of_gcc() {
    check(LIBRARY, library::generate, 0..1);
}
