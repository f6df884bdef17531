//! Tests of assertions that Horn clauses ask for.

use super::{Limits, OwickiGries};
use crate::Engine;
use expect_test::{Expect, expect};
use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Verdict, check};
use rely_passes::prepare;
use rely_program::{Goal, Program};

fn load(model: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// What comes out, after the check of its evidence.
fn decided(engine: &OwickiGries, program: &Program) -> String {
    let (program, _) = prepare(program, Goal::Assert);
    let budget = Budget::unlimited().with_step_limit(2_000_000);
    let claim = engine.run(&program, Goal::Assert, &budget, &Silent);
    match check(&program, Goal::Assert, claim, &budget).into_verdict() {
        Verdict::Safe(_) => "safe".to_owned(),
        Verdict::Unsafe(shown) => format!("unsafe in {} steps", shown.replay().trace().steps.len()),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
    }
}

fn check_verdict(model: &str, expect: Expect) {
    expect.assert_eq(&decided(&OwickiGries::default(), &load(model)));
}

const PETERSON: &str = "var flag1, flag2: bool = false; var turn: int = 0;
    thread T1 { flag1 := true; turn := 2; await !flag2 || turn == 1; a: skip; flag1 := false; }
    thread T2 { flag2 := true; turn := 1; await !flag1 || turn == 2; b: skip; flag2 := false; }
    never T1 at a && T2 at b;";

#[test]
fn proofs_and_runs() {
    check_verdict(PETERSON, expect!["safe"]);
    check_verdict(&PETERSON.replace("turn := 2; await", "await"), expect!["unsafe in 5 steps"]);
    check_verdict(
        "var x: int = 0; thread A { x := x + 1; } thread B { x := x + 1; } ensures x == 2;",
        expect!["safe"],
    );
    check_verdict(
        "var x, y: int = 0; thread A { x := 1; assert x > 0; } thread B { y := 1; }",
        expect!["safe"],
    );
    check_verdict(
        "var x: int = 0; thread A { x := x + 1; halt; } thread B { x := x + 2; } never x == 4;",
        expect!["safe"],
    );
}

/// What a thread has read is known to itself alone, unless assertions speak of everything.
#[test]
fn locals_of_others() {
    let copies = "var x, y: int = 0;
        thread A { local r: int = 0; r := x; x := r + 1; y := y + 1; }
        thread B { local s: int = 0; await y == 1; s := x; x := s + 1; }
        ensures x == 2;";
    check_verdict(copies, expect!["safe"]);
    let torn = copies.replace("await y == 1; ", "");
    check_verdict(&torn, expect!["unsafe in 4 steps"]);
    let swapped = "var a, b: int = 0;
        thread A { local r: int = 0; local t: int = 0; r := * in 0..5; t := r; a := r; b := t; }
        thread B { await b == 3; assert a == 3; }";
    check_verdict(swapped, expect!["safe"]);
}

/// If assertions over own locals take too long, those over everything are tried.
#[test]
fn the_second_attempt_is_made_without_an_answer_of_the_first() {
    let impatient = OwickiGries {
        limits: Limits { steps_without_locals: 1, ..Limits::default() },
        ..OwickiGries::default()
    };
    let program = load(
        "var x: int = 0;
         thread A { local i: int = 0; while i < 3 { i := i + 1; x := x + 1; } }
         thread B { assert x <= 3; }",
    );
    expect!["safe"].assert_eq(&decided(&impatient, &program));
}

/// The solver's reasons are remainders here.
#[test]
fn remainders() {
    check_verdict(
        "var x: int = 0;
         thread A { while true { x := x + 2; } }
         thread B { while true { x := x + 4; } }
         thread C { assert x != 7; }",
        expect!["safe"],
    );
}

#[test]
fn values_that_nobody_knows() {
    check_verdict(
        "var x: int in 0..9 = *; var y: int = 0;
         thread A { local r: int = 0; r := * in 1..3; y := x + r; }
         thread B { assert y < 12; }",
        expect!["unsafe in 2 steps"],
    );
}

#[test]
fn what_the_rule_does_not_know() {
    check_verdict(
        "var x: int = 0;
         process main { entry -> entry: spawn worker; }
         process worker { entry -> done: x := 1; }
         start main;
         never x == 2;",
        expect!["unknown: the engine `owicki-gries` does not support any number of threads, as of `worker`"],
    );
}

/// Nobody comes between the steps of an atomic block; what its loop does is a matter of its summary.
#[test]
fn blocks_with_loops_are_summarised() {
    let engine = OwickiGries { summarising: true, ..OwickiGries::default() };
    let verdict_is = |model: &str, expect: Expect| {
        // As it is: passes might join the steps.
        let program = load(model);
        let budget = Budget::unlimited().with_step_limit(2_000_000);
        let claim = engine.run(&program, Goal::Assert, &budget, &Silent);
        let verdict = match check(&program, Goal::Assert, claim, &budget).into_verdict() {
            Verdict::Safe(_) => "safe".to_owned(),
            Verdict::Unsafe(shown) => format!("unsafe in {} steps", shown.replay().trace().steps.len()),
            Verdict::Unknown(reason) => format!("unknown: {reason}"),
        };
        expect.assert_eq(&verdict);
    };
    let adding = "var x, y: int = 0;
        thread A { local i: int = 0; atomic { while i < 3 { x := x + 1; y := y + 1; i := i + 1; } } }
        thread B { assert x == y; }";
    verdict_is(adding, expect![["safe"]]);
    verdict_is(&adding.replace("x == y;", "x < 3;"), expect!["unsafe in 6 steps"]);
    verdict_is(&adding.replace("atomic { while", "{ while"), expect!["unsafe in 3 steps"]);
    // A violation inside of a block.
    verdict_is(&adding.replace("i := i + 1;", "i := i + 1; assert x < 3;"), expect!["unsafe in 4 steps"]);
}
