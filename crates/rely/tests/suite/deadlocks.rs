//! Every program in `tests/deadlocks/` and `tests/termination/` gets the verdicts about deadlocks and about its end that it
//! says it must get.

use crate::expectation::{disappointments_in, expectations_of};
use rely_program::Goal;

/// Every program of a folder gets its verdicts.
#[track_caller]
fn check(folder: &str) {
    let complaints = disappointments_in(folder);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_program_that_may_wait_gets_its_verdict() {
    check("deadlocks");
}

#[test]
fn every_program_that_may_not_end_gets_its_verdicts() {
    check("termination");
}

#[test]
fn there_are_enough_programs_of_each_kind() {
    let count = |folder: &str, goal: Goal, verdict: &str| {
        let expected = expectations_of(folder).into_iter();
        expected.filter(|expected| expected.goal == goal && expected.verdict == verdict).count()
    };
    for verdict in ["safe", "unsafe"] {
        assert!(count("deadlocks", Goal::Deadlock, verdict) >= 25, "{verdict}");
        assert!(count("termination", Goal::Deadlock, verdict) >= 12, "{verdict}");
        assert!(count("termination", Goal::Termination, verdict) >= 20, "{verdict}");
        assert!(count("termination", Goal::FairTermination, verdict) >= 12, "{verdict}");
    }
}
