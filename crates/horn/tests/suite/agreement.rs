//! Our answers and those of z3 never contradict each other.

use crate::random::system;
use crate::support::{HASTY, answer, has_z3, problems, z3};

/// How many systems are made at random.
const RANDOM: u64 = 250;

/// Asks both; how many of them know an answer.
fn compare(name: &str, text: &str, decided: &mut [usize; 3]) {
    let (_, _, ours) = answer(text, HASTY);
    let theirs = z3(text, 2);
    let is_decided = |word: &str| word != "unknown";
    decided[0] += usize::from(is_decided(ours.name()));
    decided[1] += usize::from(is_decided(&theirs));
    if is_decided(ours.name()) && is_decided(&theirs) {
        assert_eq!(ours.name(), theirs, "{name}\n{text}\n{ours:?}");
        decided[2] += 1;
    }
}

#[test]
fn answers_agree_with_z3() {
    if !has_z3() {
        return;
    }
    let mut decided = [0; 3];
    for (name, _, text) in problems() {
        compare(&name, &text, &mut decided);
    }
    for seed in 0..RANDOM {
        compare(&format!("seed {seed}"), &system(seed), &mut decided);
    }
    // Most have an answer by both; a comparison of nothing would not fail.
    assert!(decided[2] > 200, "{decided:?}");
}
