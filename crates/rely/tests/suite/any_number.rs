//! Every program in `tests/counting/`, all of them with any number of threads, gets the verdict that it says it must get.

use crate::expectation::{disappointments_in, expectations_of, programs};

#[test]
fn every_program_gets_its_verdict() {
    let complaints = disappointments_in("counting");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn there_are_enough_programs_and_few_are_left_undecided() {
    let written_in_c =
        programs("counting").iter().filter(|path| path.extension() == Some("c".as_ref())).count();
    assert!(written_in_c >= 15, "{written_in_c}");
    let verdicts: Vec<String> =
        expectations_of("counting").into_iter().map(|expected| expected.verdict).collect();
    let count = |verdict: &str| verdicts.iter().filter(|found| *found == verdict).count();
    assert!(count("safe") >= 20 && count("unsafe") >= 20 && count("unknown") <= 4, "{verdicts:?}");
}
