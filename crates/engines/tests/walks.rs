//! Random walks find what lies too deep for a search.

use rely_base::{Budget, Silent, SourceMap};
use rely_engines::{Engine, Explore, ExploreOptions};
use rely_evidence::check as check_evidence;
use rely_program::Goal;

/// The verdict after some steps of walks and a search that sees almost nothing.
fn check(model: &str, steps_of_walks: u64, expected: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program = rely_model_front::translate(&sources, file);
    let program = program.unwrap_or_else(|problems| panic!("{problems:?}"));
    let (program, _) = rely_passes::prepare(&program, Goal::Assert);
    let options = ExploreOptions { max_states: Some(10), steps_of_walks, ..ExploreOptions::default() };
    let budget = Budget::unlimited();
    let claim = Explore { options }.run(&program, Goal::Assert, &budget, &Silent);
    assert_eq!(check_evidence(&program, Goal::Assert, claim, &budget).into_verdict().name(), expected);
}

const LATE: &str = "var done: int = 0; var i: int = 0;
    process Worker { done := done + 1; }
    thread Judge { assert done < LIMIT; }
    thread Main { while i < 40 { spawn Worker; i := i + 1; } }";

#[test]
fn a_violation_may_need_many_threads_and_one_that_comes_late() {
    check(&LATE.replace("LIMIT", "40"), 0, "unknown");
    check(&LATE.replace("LIMIT", "40"), 50_000, "unsafe");
    check(&LATE.replace("LIMIT", "41"), 50_000, "unknown");
}

#[test]
fn a_violation_may_need_values_and_endless_threads() {
    let model = "var x: int = 0;
        process Worker {
            local v: int = 0; local w: int = 0;
            havoc v in 0..1000; havoc w in 0..1000;
            assert !(v == 17 && w < v) || x < 3;
        }
        thread Main { while true { x := x + 1; spawn Worker; } }";
    check(model, 50_000, "unsafe");
}

#[test]
fn a_state_may_be_what_is_wrong() {
    let model = "var x: int = 0;
        thread Count { while x < 500 { x := x + 1; } }
        invariant x < 300;";
    check(model, 0, "unknown");
    check(model, 50_000, "unsafe");
}
