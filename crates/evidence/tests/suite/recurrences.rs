//! Loops of which no state recurs: those that go on for ever are accepted, and those that only seem to are not.

use crate::lassos::check_lasso;
use rely_program::Goal;

const NO_RECURRENCE: &str =
    "some steps may be repeated for ever, but the states in which they begin are not the same";
const UNFAIR: &str = "some steps may be repeated for ever, but a thread that could always go on is left out";

/// One thread that begins with `x` being zero and makes one step again and again.
#[track_caller]
fn check(step: &str, is_accepted: bool) {
    let source =
        format!("var x, y: int = 0; var a: int[9] = 0; process T {{ entry -> entry: {step}; }} start T;");
    let expected = if is_accepted { "a trace of 1 step, replayed" } else { NO_RECURRENCE };
    check_lasso(&source, Goal::Termination, &[(0, 0)], 1, expected);
}

#[test]
fn values_may_grow_for_ever() {
    check("x := x + 1", true);
    check("x >= 0; x := x + 1", true);
    check("x <= 0; x := x - 3", true);
    check("x >= 0; x := x + y; y := y + 1", true);
    check("x >= 0; x := (x + 1) % 1000000007", true);
    check("a[x % 9] := x; x := x + 1", true);
    check("y := 100 / (x + 1); x := x + 1", true);
}

/// Bounds on the other side are found before they are given up.
#[test]
fn a_ring_may_be_entered_anywhere() {
    let ring = |condition: &str| {
        format!(
            "var x: int = 5; process T {{ entry -> a: {condition}; a -> entry: x := (x + 1) % 1000000007; }} start T;"
        )
    };
    let check = |condition, expected| {
        check_lasso(&ring(condition), Goal::Termination, &[(0, 0), (0, 1)], 2, expected);
    };
    check("x >= 0", "a trace of 2 steps, replayed");
    check("x < 1000000007", "a trace of 2 steps, replayed");
    check("x >= 1", NO_RECURRENCE);
    check("x < 1000000006", NO_RECURRENCE);
}

#[test]
fn what_ends_late_is_not_repeated_for_ever() {
    check("x < 100000; x := x + 1", false);
    check("x != 100000; x := x + 1", false);
    check("x >= 0 - 100000; x := x - 1", false);
    check("y < 5000; x := x + 1; y := x / 3", false);
    check("y := 100 / (x - 100000); x := x + 1", false);
    check("a[x / 1000] := x; x := x + 1", false);
    check("assert x < 100000; x := x + 1", false);
    check("a[x % 9] < 5000; a[x % 9] := x; x := x + 1", false);
}

#[test]
fn remainders_say_which_bounds_are_never_met() {
    check("x != 100001; x := x + 2", true);
    check("x != 100000; x := x + 2", false);
    check("x % 6 != 3; x := x + 4", true);
    check("x % 6 != 2; x := x + 4", false);
}

/// That two values agree cannot be said by ranges.
#[test]
fn relations_of_values_are_not_seen() {
    check("x == y; x := x + 1; y := y + 1", false);
}

#[test]
fn a_fair_loop_leaves_nobody_out() {
    let with = |other: &str| {
        format!(
            "var x: int = 0; var f: bool = false;
            process T {{ entry -> entry: x := x + 1; }} process U {{ {other} }} start T; start U;"
        )
    };
    let check = |other: &str, expected: &str| {
        check_lasso(&with(other), Goal::FairTermination, &[(0, 0)], 1, expected);
    };
    let accepted = "a trace of 1 step, replayed";
    check("entry -> exit: f := true;", UNFAIR);
    check("entry -> exit: x > 100000; f := true;", UNFAIR);
    check("entry -> exit: x < 0; f := true;", accepted);
    check("entry -> exit: f;", accepted);
    check("entry -> exit: x > 100000; entry -> exit: f;", UNFAIR);
    check_lasso(&with("entry -> exit: f := true;"), Goal::Termination, &[(0, 0)], 1, accepted);
}

#[test]
fn threads_may_be_started_for_ever() {
    let check = |main: &str, goal: Goal, steps: &[(usize, usize)], expected: &str| {
        let source = format!(
            "var n, m: int = 0; process main {{ {main} }}
            process worker {{ local i: int = 3; entry -> exit: i == 3; i := 4; n := n + 1; }} start main;"
        );
        check_lasso(&source, goal, steps, steps.len(), expected);
    };
    let spawns = "entry -> entry: spawn worker;";
    check(spawns, Goal::Termination, &[(0, 0)], "a trace of 1 step, replayed");
    // The new thread could always go on; with its own step nobody is left out.
    check(spawns, Goal::FairTermination, &[(0, 0)], UNFAIR);
    check(spawns, Goal::FairTermination, &[(0, 0), (1, 1)], "a trace of 2 steps, replayed");
    check("entry -> entry: n < 5000; spawn worker;", Goal::Termination, &[(0, 0), (1, 1)], NO_RECURRENCE);
    check(
        "entry -> entry: n >= 0; spawn worker;",
        Goal::Termination,
        &[(0, 0), (1, 1)],
        "a trace of 2 steps, replayed",
    );
    let waits = "entry -> entry: spawn waiter; entry -> exit: n > 3;";
    let source = |condition: &str| {
        format!(
            "var n, m: int = 0; process main {{ {waits} }} process waiter {{ entry -> exit: {condition}; }} start main;"
        )
    };
    let check_waiter = |condition, expected| {
        check_lasso(&source(condition), Goal::FairTermination, &[(0, 0)], 1, expected);
    };
    check_waiter("n > 0", "a trace of 1 step, replayed");
    check_waiter("n > 0 && m == 7", "a trace of 1 step, replayed");
    check_waiter("n == 0", UNFAIR);
    check_waiter("m < 1", UNFAIR);
    let counts = "entry -> entry: m < 5000; m := m + 1; spawn worker;";
    check(counts, Goal::Termination, &[(0, 0)], NO_RECURRENCE);
}
