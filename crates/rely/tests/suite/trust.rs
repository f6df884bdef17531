//! What a verdict trusts is said in it, and who trusts nothing gets no verdict that does.

use crate::support::{rely_in_root, text, words};
use expect_test::{Expect, expect};

/// The verdict of a program, and what it trusts.
fn check(arguments: &[&str], expected: &Expect) {
    let output = rely_in_root(&[&["check", "-p", "assert"], arguments].concat());
    let (code, said) = words(&output);
    let verdict = said.split(" (assert)").next().and_then(|head| head.split(": ").last()).unwrap_or_default();
    let trusted = said.split(" trusted ").nth(1).and_then(|rest| rest.split(" time ").next());
    let code = code.map_or("killed".to_owned(), |code| code.to_string());
    expected.assert_eq(&format!("{code} {verdict}; trusted: {}", trusted.unwrap_or("nothing")));
}

#[test]
fn small_programs_trust_nothing() {
    check(&["examples/locked-counter.rely"], &expect!["0 safe; trusted: nothing"]);
    check(&["-e", "rely-guarantee", "examples/locked-counter.rely"], &expect!["0 safe; trusted: nothing"]);
    check(&["examples/mutex-counter.c"], &expect!["0 safe; trusted: nothing"]);
    check(&["examples/atomic-increments.c"], &expect!["0 safe; trusted: nothing"]);
}

#[test]
fn passes_are_named() {
    check(
        &["examples/any-input.c"],
        &expect![
            "0 safe; trusted: instantiate, begin_initialised, slice_suffixes, use_ranges, fold_constants, remove_dead_variables, compress, drop_idle_loops"
        ],
    );
    check(&["benchmarks/deductive/flag-stop.rely"], &expect!["0 safe; trusted: nothing"]);
}

#[test]
fn who_trusts_nothing_gets_no_verdict_that_does() {
    check(&["--trust", "none", "examples/any-input.c"], &expect!["2 unknown; trusted: nothing"]);
    check(&["--trust", "none", "benchmarks/deductive/flag-stop.rely"], &expect!["0 safe; trusted: nothing"]);
    check(&["--trust", "none", "examples/racy-counter.c"], &expect!["1 unsafe; trusted: nothing"]);
    check(&["--trust", "none", "examples/mutex-counter.c"], &expect!["0 safe; trusted: nothing"]);
}

#[test]
fn other_tools_read_what_is_trusted() {
    let output = rely_in_root(&["check", "-p", "assert", "--format", "json", "examples/any-input.c"]);
    let read: serde_json::Value = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    let trusted = read["files"][0]["results"][0]["trusted"].as_array().expect("a list").clone();
    assert!(trusted.contains(&"instantiate".into()), "{trusted:?}");
}
