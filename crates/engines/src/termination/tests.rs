//! Loops of the literature and threads that wait for each other. Every verdict is one of the checker.

use super::Termination;
use crate::Engine;
use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Verdict, check as check_evidence};
use rely_program::Goal;

/// What the checker says about the claim of the engine.
fn verdict(model: &str) -> Verdict {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program =
        rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (program, _) = rely_passes::prepare(&program, Goal::Termination);
    let budget = Budget::unlimited();
    let claim = Termination::default().run(&program, Goal::Termination, &budget, &Silent);
    check_evidence(&program, Goal::Termination, claim, &budget).into_verdict()
}

fn check(model: &str, expect: &str) {
    let verdict = verdict(model);
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
