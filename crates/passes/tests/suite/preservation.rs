//! Passes change programs, not what they can do: on random programs, every verdict is the
//! same before and after each pass, and every trace found after it, translated back, shows the
//! same violation before it. `cargo run --release -p rely-passes --example fuzz_passes` does
//! the same for as many programs as one likes.

use crate::random::preservation::{CASES, Coverage, MOST_STATES, Original};
use rely_program::Program;
use rely_testing::random::{self as generator, edits};

const PROGRAMS: usize = 400;

fn check(name: &str) -> Coverage {
    check_on(name, generator::program)
}

fn check_on(name: &str, generate: fn(u64) -> Program) -> Coverage {
    let case = CASES.iter().find(|case| case.name == name).expect("there is such a pass");
    let mut coverage = Coverage::default();
    for seed in 0..PROGRAMS {
        let mut original = Original::new(generate(seed as u64), MOST_STATES);
        if let Err(reason) = case.check(&mut coverage, &mut original) {
            panic!("{reason}");
        }
    }
    assert!(coverage.programs > PROGRAMS * 6 / 10, "{coverage:?}");
    coverage
}

fn assert_covers(coverage: &Coverage, changed: usize, violations: usize, deadlocks: usize) {
    let enough =
        coverage.changed >= changed && coverage.violations >= violations && coverage.deadlocks >= deadlocks;
    assert!(enough, "{coverage:?}");
}

/// Edited programs have few states, but more if checks that fail end no run, as under `deadlock`.
const MOST_STATES_OF_EDITED: usize = 3 * edits::MOST_STATES;

/// Every pass on programs whose representation was edited at random.
fn check_edited(seeds: std::ops::Range<u64>) {
    let mut coverages: Vec<Coverage> = CASES.iter().map(|_| Coverage::default()).collect();
    for program in seeds.clone().filter_map(|seed| edits::program(seed).ok()) {
        let mut original = Original::new(program, MOST_STATES_OF_EDITED);
        for (case, coverage) in CASES.iter().zip(&mut coverages) {
            if let Err(reason) = case.check(coverage, &mut original) {
                panic!("{reason}");
            }
        }
    }
    let programs = seeds.count();
    for (case, coverage) in CASES.iter().zip(&coverages) {
        assert!(
            coverage.programs + coverage.unchanged > programs * 8 / 10 && coverage.programs > programs / 100,
            "{}: {coverage:?}",
            case.name
        );
    }
}

#[test]
fn passes_on_edited_programs() {
    check_edited(0..700);
}

#[test]
fn passes_on_more_edited_programs() {
    check_edited(700..1_400);
}

/// Edited programs that a pass once got wrong.
#[test]
fn passes_on_edited_programs_that_were_hard() {
    for seed in [154_952] {
        let mut original =
            Original::new(edits::program(seed).expect("it has a meaning"), MOST_STATES_OF_EDITED);
        for case in CASES {
            if let Err(reason) = case.check(&mut Coverage::default(), &mut original) {
                panic!("seed {seed}: {reason}");
            }
        }
    }
}

#[test]
fn folding_constants() {
    assert_covers(&check("fold_constants"), 300, 100, 50);
}

#[test]
fn inserting_constants() {
    assert_covers(&check("insert_constants"), 300, 100, 50);
}

#[test]
fn beginning_initialised() {
    assert_covers(&check_on("begin_initialised", generator::beginning), 150, 50, 50);
    assert_covers(&check_on("prepare for assert", generator::beginning), 300, 50, 0);
    assert_covers(&check_on("prepare for deadlock", generator::beginning), 300, 0, 50);
}

#[test]
fn removing_dead_variables() {
    assert_covers(&check("remove_dead_variables"), 300, 100, 50);
}

#[test]
fn merging_atomic_blocks() {
    assert_covers(&check("merge_atomic_blocks"), 200, 100, 50);
}

#[test]
fn compressing() {
    assert_covers(&check("compress"), 200, 100, 50);
}

#[test]
fn compressing_ignoring_deadlocks() {
    assert_covers(&check("compress, ignoring deadlocks"), 200, 100, 0);
}

#[test]
fn compressing_what_locks_protect() {
    let coverage = check_on("compress", generator::locking::program);
    assert_covers(&coverage, 300, 100, 50);
    let coverage = check_on("compress, ignoring deadlocks", generator::locking::program);
    assert_covers(&coverage, 300, 100, 0);
    assert!(coverage.states.1 * 2 < coverage.states.0, "{coverage:?}");
}

#[test]
fn trusting_owners() {
    assert_covers(&check_on("drop_owner_checks", generator::locking::program), 50, 100, 50);
}

#[test]
fn dropping_idle_loops() {
    assert_covers(&check("drop_idle_loops"), 5, 100, 0);
    assert_covers(&check_on("drop_idle_loops", generator::locking::program), 0, 100, 0);
}

#[test]
fn preparing_what_locks_protect() {
    assert_covers(&check_on("prepare for assert", generator::locking::program), 300, 100, 0);
    assert_covers(&check_on("prepare for deadlock", generator::locking::program), 300, 0, 50);
}

#[test]
fn slicing_suffixes() {
    assert_covers(&check("slice_suffixes"), 50, 100, 0);
}

#[test]
fn slicing_threads() {
    assert_covers(&check("slice_threads"), 50, 100, 0);
}

#[test]
fn instantiating() {
    assert_covers(&check("instantiate"), 30, 100, 50);
}

#[test]
fn merging_copies() {
    let coverage = check("merge_copies");
    assert_covers(&coverage, 20, 100, 50);
    assert!(coverage.found_values > 100, "{coverage:?}");
}

#[test]
fn separating_values() {
    let coverage = check("separate_values");
    assert_covers(&coverage, 20, 100, 50);
    assert!(coverage.place_values > 100, "{coverage:?}");
}

#[test]
fn splitting_arrays() {
    assert_covers(&check("split_arrays"), 5, 100, 50);
}

#[test]
fn starting_later() {
    assert_covers(&check("start_later"), 20, 100, 50);
}

#[test]
fn unrolling() {
    assert_covers(&check("unroll"), 5, 100, 50);
}

#[test]
fn using_ranges() {
    assert_covers(&check("use_ranges"), 200, 100, 50);
}

#[test]
fn the_whole_pipeline() {
    assert_covers(&check("simplify"), 300, 100, 50);
}

#[test]
fn preparing_for_assertions() {
    let coverage = check("prepare for assert");
    assert_covers(&coverage, 300, 100, 0);
    assert!(coverage.place_values > 10 && coverage.found_values > 10, "{coverage:?}");
}

#[test]
fn preparing_for_deadlocks() {
    assert_covers(&check("prepare for deadlock"), 300, 0, 50);
}

#[test]
fn preparing_for_races() {
    assert_covers(&check("prepare for race"), 20, 0, 50);
}
