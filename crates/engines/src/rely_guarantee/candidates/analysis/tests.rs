//! What is found in small models.

use super::Analysis;
use crate::rely_guarantee::limits::Limits;
use expect_test::{Expect, expect};
use rely_base::{Budget, Id, SourceMap};
use rely_logic::{Constraint, VarId, VarNames};
use rely_program::{Goal, Program};
use rely_symbolic::System;
use std::fmt;

struct Names<'p>(&'p Program);

impl VarNames for Names<'_> {
    fn write_name(&self, variable: VarId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scalars = self.0.vars().iter();
        f.write_str(scalars.nth(variable.index()).map_or("handle", |(_, var)| &var.name))
    }
}

/// What is found by `find` in a model whose variables are all scalars.
fn check(model: &str, find: impl Fn(&System<'_>) -> Vec<Constraint>, expect: &Expect) {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program =
        rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"));
    let Ok(system) =
        System::new(&program, Goal::Assert, rely_symbolic::Limits::default(), &Budget::unlimited())
    else {
        panic!("it fits")
    };
    let found = find(&system);
    let texts: Vec<String> =
        found.iter().map(|relation| relation.display(&Names(&program)).to_string()).collect();
    expect.assert_eq(&texts.join(", "));
}

fn check_sums(model: &str, expect: &Expect) {
    check(model, |system| system.sums.clone(), expect);
}

fn check_always(model: &str, expect: &Expect) {
    let always = |system: &System<'_>| {
        let guards = system.moves.iter().flat_map(|by| by.branch.guard.iter().cloned());
        let landmarks: Vec<Constraint> = guards.collect();
        let analyses = Analysis::all(system, &landmarks, Limits::default());
        let found = analyses.iter().map(|analysis| analysis.run().expect("it does not take long"));
        found.flat_map(|relations| relations.always).collect()
    };
    check(model, always, expect);
}

#[test]
fn sums_that_no_step_changes_are_found() {
    check_sums(
        "var sent, received, waiting: int = 0;
        thread S { while * { await waiting < 7 do { sent := sent + 1; waiting := waiting + 1; } } }
        thread R { while * { await waiting > 0 do { received := received + 1; waiting := waiting - 1; } } }",
        &expect!["sent = received + waiting"],
    );
    // Twice as fast, from an unknown start.
    check_sums(
        "var n, x, y: int; requires x == n && y == 3;
        thread T { while * { x, y := x + 2, y - 1; } }",
        &expect!["x + 2*y = n + 6"],
    );
    // Nothing is known of the start, or a step is not always the same.
    check_sums("var x, y: int; thread T { while * { x, y := x + 1, y + 1; } }", &expect![[""]]);
    check_sums("var x, y: int = 0; thread T { while * { x, y := x + 1, y + 1; x := 0; } }", &expect![[""]]);
}

#[test]
fn bounds_and_differences_are_found() {
    check_always(
        "var low: int = 0; var high: int = 1000000;
        thread A { while * { await low < high do { low := low + 1; } } }
        thread B { while * { await low < high do { high := high - 1; } } }",
        &expect!["low >= 0, low <= 1000000, low <= high, high >= 0, high <= 1000000"],
    );
    // Symbolic, and in steps of which nobody tells where they end.
    check_always(
        "var n: int; var x: int = 0; requires n >= 0;
        thread A { local i: int = 0; while i < n { i := i + 1; x := i; } }
        thread B { local v: int = 0; v := x; }",
        &expect![
            "n >= 0, n >= x, n >= i, n >= v, x >= 0, x + 1 >= i, x >= v, x <= i, i >= 0, i >= v, v >= 0"
        ],
    );
    check_always("var x: int = 0; thread A { while x < 10 { x := x + 3; } }", &expect!["x >= 0, x <= 12"]);
}

#[test]
fn threads_that_are_started_know_what_they_are_given() {
    check_always(
        "var x: int = 0;
        process worker(limit: int) { while x < limit { x := x + 1; } }
        thread Main { local h: thread; h := spawn worker(7); join h; }",
        &expect!["x >= 0, x <= 7, x <= limit, limit >= 0, limit <= 7"],
    );
    // Any number of them, each interfering with the others.
    check_always(
        "var x, y: int = 0;
        process worker(step: int) { local mine: int = 0; mine := x; atomic { x := x + 1; y := y + 1; } }
        thread Main { while * { spawn worker(2); } }",
        &expect!["x >= 0, x = y, x >= mine, y >= 0, y >= mine, mine >= 0"],
    );
}

#[test]
fn flags_are_no_numbers() {
    check_always(
        "var lock: int = 0; thread T { await lock == 0 do { lock := 1; } lock := 0; }",
        &expect![[""]],
    );
    // Values that change places are given up.
    check_always("var x: int = 0; var y: int = 1; thread T { while * { x, y := y, x; } }", &expect![[""]]);
}
