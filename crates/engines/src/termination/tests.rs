//! Loops of the literature and threads that wait for each other. Every verdict is one of the checker.

use super::Termination;
use crate::Engine;
use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Verdict, check as check_evidence};
use rely_program::Goal;

/// What the checker says about the claim of the engine.
fn verdict(model: &str, goal: Goal) -> Verdict {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program =
        rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (program, _) = rely_passes::prepare(&program, goal);
    let budget = Budget::unlimited();
    let claim = Termination::default().run(&program, goal, &budget, &Silent);
    check_evidence(&program, goal, claim, &budget).into_verdict()
}

fn check(model: &str, expect: &str) {
    check_for(Goal::Termination, model, expect);
}

fn check_for(goal: Goal, model: &str, expect: &str) {
    let verdict = verdict(model, goal);
    let reason = match &verdict {
        Verdict::Unknown(reason) => reason.to_string(),
        _ => String::new(),
    };
    assert_eq!(verdict.name(), expect, "{model}\n{reason}");
}

/// A loop of one thread over three variables of any value.
fn check_loop(condition: &str, body: &str, expect: &str) {
    check(&format!("var x, y, z: int; thread A {{ while {condition} {{ {body} }} }}"), expect);
}

#[test]
fn loops_that_count() {
    check_loop("x > 0", "x := x - 1;", "safe");
    check_loop("x < y", "x := x + 1;", "safe");
    check_loop("x < 1000000000", "x := x + 3;", "safe");
    check_loop("x > 0 && y > 0", "x := x - 1; y := y - 1;", "safe");
    check_loop("x + y > 0", "x := x - 1; y := y - 1;", "safe");
    check_loop("x > y", "x := x - 1; y := y + 1;", "safe");
    check_loop("x != 0", "if x > 0 { x := x - 1; } else { x := x + 1; }", "safe");
    check_loop("x >= 0 && x <= 100", "x := 2 * x + 1;", "safe");
}

#[test]
fn loops_that_need_an_order_of_components() {
    check_loop("x > 0 && y > 0", "if * { x := x - 1; havoc y; } else { y := y - 1; }", "safe");
    check_loop("x > 0", "x := x - 1; y := z; while y > 0 { y := y - 1; }", "safe");
    check_loop("x < y", "z := 0; while z < x { z := z + 1; } x := x + 1;", "safe");
    check_loop("x > 0", "y := x; while y > 0 { y := y - 1; x := x - 1; }", "safe");
    check_loop("x > 0", "if y > 0 { y := y - 1; } else { x := x - 1; havoc y; }", "safe");
}

#[test]
fn loops_with_phases() {
    check_loop("x > 0", "x := x + y; y := y - 1;", "safe");
    check_loop("x > 0", "x := x + y; y := y + z; z := z - 1;", "safe");
    check_loop("x > 0", "if y > 0 { y := y - 1; x := x + 1; } else { x := x - 1; }", "safe");
}

#[test]
fn loops_that_need_invariants() {
    let gcd = "var a, b: int; requires a > 0 && b > 0;
        thread A { while a != b { if a > b { a := a - b; } else { b := b - a; } } }";
    check(gcd, "safe");
    check("var x, y: int; requires y >= 1; thread A { while x > 0 { x := x - y; } }", "safe");
    check("var x, y: int; requires y >= 1; thread A { while x > 0 { x := x - y; y := y + 1; } }", "safe");
    check("var x, y: int; thread A { if y > 2 { while x > 0 { x := x + 1 - y; } } }", "safe");
    // Below zero the rank counts as zero, and the other way through the loop ends it.
    check(
        "var x, n: int; thread A { x := 0; while x != n { if x > n { x := n; } else { x := x + 1; } } }",
        "safe",
    );
}

#[test]
fn loops_without_end_are_not_proved() {
    check_loop("true", "skip;", "unknown");
    check_loop("x > 0", "x := x + 1;", "unknown");
    check_loop("x > 0", "x := x - y;", "unknown");
    check_loop("x != 0", "x := x - 1;", "unknown");
    check_loop("x > 0", "havoc x;", "unknown");
    check_loop(
        "x > 0 || y > 0",
        "if * { x := x - 1; y := y + 1; } else { y := y - 1; x := x + 1; }",
        "unknown",
    );
    check("var x, y: int; requires y >= 0; thread A { while x > 0 { x := x - y; } }", "unknown");
}

#[test]
fn threads_that_stay_out_of_the_way() {
    check("var n: int; thread A[3] { local i: int = 0; while i < n { i := i + 1; } }", "safe");
    check(
        "var x: int; var n: int;
        thread A { local i: int = 0; while i < n { x := x + 1; i := i + 1; } }
        thread B { while x > 0 { x := x - 1; } }",
        "safe",
    );
    check(
        "var x: int; thread A { while x > 0 { x := x - 1; } } thread B { while x > 0 { x := x - 2; } }",
        "safe",
    );
    check("var x: int; thread A { while x > 0 { x := x - 1; } } thread B { x := 5; }", "safe");
    check(
        "var x: int; thread A { while x > 0 { x := x - 1; } } thread B { while x < 9 { x := x + 1; } }",
        "unknown",
    );
    // Nobody assumes that B gets a turn.
    check("var f: bool = false; thread A { while !f { skip; } } thread B { f := true; }", "unknown");
}

#[test]
fn what_others_count_stops_at_their_bounds() {
    let counts = |bound: &str| {
        format!(
            "var x, y: int = 0; const N = {bound};
            thread A {{ while x < 1000000 {{ x := x + 1; }} }}
            thread B {{ while y < N {{ y := y + 1; }} }}
            thread C {{ await x == 1000000 && y == 2000001; }}"
        )
    };
    check(&counts("2000001"), "safe");
    check_for(Goal::Deadlock, &counts("2000001"), "safe");
    check(&counts("2000002"), "unknown");
}

#[test]
fn who_waits_for_ever_does_not_end() {
    check("var f: bool = false; thread A { await f; } thread B { f := true; }", "safe");
    check("var f: bool = false; thread A { await f; } thread B { skip; }", "unknown");
    let locks = |first: &str, second: &str| {
        format!(
            "var l, m: mutex; var n: int;
            thread A {{ local i: int = 0; while i < n {{ lock(l); lock(m); i := i + 1; unlock(m); unlock(l); }} }}
            thread B {{ local i: int = 0; while i < n {{ lock({first}); lock({second}); i := i + 1; unlock({second}); unlock({first}); }} }}"
        )
    };
    check(&locks("l", "m"), "safe");
    check(&locks("m", "l"), "unknown");
}

#[test]
fn who_waits_in_a_loop_ends_if_the_run_is_fair() {
    let check = |model: &str, expect: &str| check_for(Goal::FairTermination, model, expect);
    let spins = |others: &str| {
        format!("var f, g: bool = false; var n: int; thread A {{ while !f {{ skip; }} }} {others}")
    };
    check(&spins("thread B { f := true; }"), "safe");
    check(&spins("thread B { local i: int = 0; while i < n { i := i + 1; } f := true; }"), "safe");
    check(&spins("thread B { while !g { skip; } f := true; } thread C { g := true; }"), "safe");
    // Nobody sets it, sometimes nobody does, two wait for each other, and one goes on for ever.
    check(&spins("thread B { skip; }"), "unknown");
    check(&spins("thread B { if n > 0 { f := true; } }"), "unknown");
    check(
        &spins("thread B { while !g { skip; } f := true; } thread C { while !f { skip; } g := true; }"),
        "unknown",
    );
    check(&spins("thread B { while true { skip; } f := true; }"), "unknown");
    // Set and taken back: the thread need not look in between.
    check(&spins("thread B { f := true; f := false; }"), "unknown");
    check(&spins("thread B { while !f { f := true; f := false; } }"), "unknown");
    // Who is in front of an assumption that does not hold may stay there.
    check(&spins("thread B { assume n > 3; f := true; }"), "unknown");
    // One that can go round and on may go round for ever.
    check(&spins("thread B { while * { skip; } f := true; }"), "unknown");
}

#[test]
fn spin_locks_are_given_back_in_fair_runs() {
    let thread = |name: &str| {
        format!(
            "process {name} {{ local i: int = 0;
                entry -> b: i < n; entry -> exit: i >= n;
                b -> b: lock; b -> c: !lock; lock := true; c -> entry: lock := false; i := i + 1; }} start {name};"
        )
    };
    let model = format!("var lock: bool = false; var n: int; {} {}", thread("A"), thread("B"));
    check_for(Goal::FairTermination, &model, "safe");
    check(&model, "unknown");
}
