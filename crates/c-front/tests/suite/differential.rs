//! Random sequential programs do what gcc makes of them. `examples/differential_c.rs` tries more
//! of them.

use crate::versus_gcc::{Summary, compare, is_gcc_there};
use crate::{arithmetic, memory};
use std::io::Write;

const ARITHMETIC: u64 = 60;
const MEMORY: u64 = 30;

fn check(count: u64, generate: impl Fn(u64) -> crate::generated::Generated, traps: std::ops::Range<u64>) {
    if !is_gcc_there() {
        let told = writeln!(std::io::stderr(), "there is no gcc to compare with: nothing is tested here");
        return told.expect("standard error is open");
    }
    let Summary { programs, traps: trapped, narrowed } =
        compare(0..count, generate).unwrap_or_else(|difference| panic!("{difference}"));
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
