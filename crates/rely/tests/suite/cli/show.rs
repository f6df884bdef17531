//! `rely show`: the program behind a pass, and what each pass does to it.

use super::told;
use crate::support::Directory;
use expect_test::expect;

/// Waits for nothing under a lock, counts with a local that nobody needs, and starts two workers in a loop.
const WORKERS: &str = "\
var m, x: int = 0;
var unused: int = 7;
process Worker(step: int) {
    local before: int = 0;
    await m == 0 do { m := 1; }
    before := x;
    x := before + step;
    m := 0;
}
process Main {
    local i: int = 0;
    unused := 1;
    while i < 2 {
        spawn Worker(1);
        i := i + 1;
    }
}
start Main;
never x > 2;
";

fn show(arguments: &[&str]) -> String {
    let directory = Directory::new().with("workers.rely", WORKERS);
    told(&directory.rely(&[&["show"], arguments, &["workers.rely"]].concat()))
}

#[test]
fn programs_are_shown_behind_a_pass() {
    expect![].assert_eq(&show(&["--after", "unroll"]));
    assert_eq!(show(&["--after", "merge-atomic-blocks"]), show(&["--after", "merge_atomic_blocks:1"]));
    assert_ne!(show(&["--after", "compress"]), show(&["--after", "unroll"]));
    assert_ne!(show(&["--after", "compress"]), show(&["--after", "compress", "--sections", "interleaved"]));
}

#[test]
fn the_program_behind_the_last_pass_is_the_simplified_one() {
    for sections in ["atomic", "interleaved"] {
        let listed = show(&["--passes", "--sections", sections]);
        let last = listed.lines().last().and_then(|line| line.split_whitespace().next()).expect("a pass ran");
        let behind_last = show(&["--after", last, "--sections", sections]);
        assert_eq!(behind_last, show(&["--simplified", "--sections", sections]), "{last}");
    }
}

#[test]
fn what_is_no_run_of_a_pass_is_refused() {
    expect![].assert_eq(&show(&["--after", "magic"]));
    expect![].assert_eq(&show(&["--after", "slice_threads", "--property", "race"]));
    expect![].assert_eq(&show(&["--after", "compress:9"]));
    expect![].assert_eq(&show(&["--after", "compress:no"]));
}

#[test]
fn what_each_pass_does_is_listed() {
    expect![].assert_eq(&show(&["--passes"]));
}

#[test]
fn earlier_words_for_critical_sections_are_understood() {
    let directory =
        Directory::new().with("one.rely", "var x: int = 0;\nthread T { x := 1; assert x == 1; }\n");
    for (sections, is_known) in [("joined", true), ("apart", true), ("loose", false)] {
        let output = directory.rely(&["show", "--simplified", "--sections", sections, "one.rely"]);
        assert_eq!(output.status.success(), is_known, "{sections}: {}", told(&output));
    }
    let refused = told(&directory.rely(&["show", "--sections", "loose", "one.rely"]));
    assert!(refused.contains("[possible values: atomic, interleaved]"), "{refused}");
}
