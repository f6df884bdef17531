//! Every program in `tests/deadlocks/` gets the verdict about deadlocks that it says it must get.

use crate::expectation::{disappointments_in, expected_verdicts};

#[test]
fn every_program_gets_its_verdict() {
    let complaints = disappointments_in("deadlocks");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn there_are_enough_programs_of_each_kind() {
    let verdicts = expected_verdicts("deadlocks");
    for verdict in ["safe", "unsafe"] {
        assert!(verdicts.iter().filter(|found| *found == verdict).count() >= 12, "{verdict}");
    }
}
