//! Classics: each has an expected answer, and its evidence is checked by `solve` itself.

use crate::support::{PATIENT, answer, problems};

#[test]
fn classics_have_the_expected_answers() {
    for (name, expected, text) in problems() {
        let (_, _, answer) = answer(&text, PATIENT);
        assert_eq!(answer.name(), expected, "{name}: {answer:?}");
    }
}
