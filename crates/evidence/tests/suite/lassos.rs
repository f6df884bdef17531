//! Runs without end are shown by lassos: right ones are accepted, and each way to damage one is noticed.

use crate::common::program;
use rely_base::{Budget, Id};
use rely_evidence::{Claim, Reason, Rejection, Verdict, check};
use rely_program::{EdgeId, Goal, Program, SlotId, Trace, TraceStep, Violation};

/// A run along some edges, each with its thread, whose last steps are a loop.
fn lasso(steps: &[(usize, usize)], repeated: usize) -> Trace {
    let step = |&(slot, edge): &(usize, usize)| TraceStep {
        slot: SlotId::from_index(slot),
        edge: EdgeId::from_index(edge),
        choices: Vec::new(),
    };
    Trace {
        initial: Vec::new(),
        steps: steps.iter().map(step).collect(),
        violation: Violation::Lasso(repeated),
    }
}

/// What the checker makes of a lasso.
fn judged(program: &Program, goal: Goal, trace: Trace) -> String {
    match check(program, goal, Claim::Unsafe(trace), &Budget::unlimited()).into_verdict() {
        Verdict::Unsafe(shown) => shown.evidence(),
        Verdict::Unknown(Reason::Rejected(Rejection::Trace(defect))) => defect.to_string(),
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::Safe(_) => "safe".to_owned(),
    }
}

#[track_caller]
pub(crate) fn check_lasso(
    source: &str,
    goal: Goal,
    steps: &[(usize, usize)],
    repeated: usize,
    expected: &str,
) {
    assert_eq!(judged(&program(source), goal, lasso(steps, repeated)), expected, "{steps:?}, {repeated}");
}

/// One thread: into a circle of two steps; the third one of them leads out of it.
const CIRCLE: &str = "var x: int = 0;
    process T { entry -> a: x == 0; a -> b: x := 1; b -> a: x := 0; b -> exit: x == 7; }
    start T;";

#[test]
fn damage_to_a_lasso_is_noticed() {
    let check =
        |steps: &[_], repeated, expected| check_lasso(CIRCLE, Goal::Termination, steps, repeated, expected);
    let right = [(0, 0), (0, 1), (0, 2)];
    check(&right, 2, "a trace of 3 steps, replayed");
    // The loop is longer or shorter than it is, or none.
    check(&right, 0, "the trace does not have the steps of its loop");
    check(&right, 4, "the trace does not have the steps of its loop");
    let no_recurrence =
        "some steps may be repeated for ever, but the states in which they begin are not the same";
    check(&right, 3, no_recurrence);
    check(&right, 1, no_recurrence);
    check(&right[..2], 1, no_recurrence);
    // Steps that cannot be made: at another place, blocked, of nobody.
    check(
        &right[1..],
        2,
        "step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 1",
    );
    check(&[(0, 0), (0, 1), (0, 3)], 2, "step 3 of the trace is blocked");
}

#[test]
fn a_loop_may_need_some_rounds_to_come_back() {
    let counter = "var x: int = 0;
        process T { entry -> entry: x < 5; x := x + 1; entry -> entry: x >= 5; x := 3; }
        start T;";
    check_lasso(
        counter,
        Goal::Termination,
        &[(0, 0)],
        1,
        "some steps may be repeated for ever, but the states in which they begin are not the same",
    );
    let wrapping = "var x: int = 0;
        process T { entry -> entry: x := (x + 2) % 7; }
        start T;";
    check_lasso(wrapping, Goal::Termination, &[(0, 0)], 1, "a trace of 7 steps, replayed");
}

#[test]
fn unfair_loops_show_nothing_about_fair_runs() {
    let spinning = "var done: bool = false;
        process T { entry -> entry: !done; entry -> exit: done; }
        process U { entry -> exit: done := true; }
        start T; start U;";
    check_lasso(spinning, Goal::Termination, &[(0, 0)], 1, "a trace of 1 step, replayed");
    let unfair = "some steps may be repeated for ever, but a thread that could always go on is left out";
    check_lasso(spinning, Goal::FairTermination, &[(0, 0)], 1, unfair);
    check_lasso(CIRCLE, Goal::FairTermination, &[(0, 0), (0, 1), (0, 2)], 2, "a trace of 3 steps, replayed");
}
