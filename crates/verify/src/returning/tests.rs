//! Passes that are damaged on purpose: whatever is proved of their results is not believed of the program.
//!
//! Each program violates its property. A wrong transformation makes one of it that does not, an engine proves that, and the
//! checker accepts the proof, for what it is about. On its way back it has to be refused.

use super::{Simplified, returned};
use crate::source::{Language, Source, load};
use crate::{Strategy, strategy};
use rely_base::{Budget, Silent};
use rely_evidence::{Claim, Proof, Proved, Verdict, check};
use rely_passes::{BackMap, CriticalSections, prepare_with};
use rely_program::{EdgeId, Expr, Goal, Initial, Op, Program, ProgramEditor, VarId};
use std::collections::BTreeMap;

const WRONG: [&str; 6] = [
    "var x, done: int = 0;
     thread A { local t: int = 0; t := x; x := t + 1; done := done + 1; }
     thread B { local t: int = 0; t := x; x := t + 1; done := done + 1; }
     ensures x == 2;",
    "var flag: bool = false; var data: int = 0;
     thread Writer { flag := true; data := 7; }
     thread Reader { await flag; assert data == 7; }",
    "var lock: int = 0; var inside: int = 0;
     thread A { await lock == 0; lock := 1; inside := inside + 1; assert inside == 1; inside := inside - 1; lock := 0; }
     thread B { await lock == 0; lock := 2; inside := inside + 1; assert inside == 1; inside := inside - 1; lock := 0; }",
    "var turn: int = 0; var a, b: bool = false;
     thread A { a := true; await !b || turn == 0; critical1: skip; a := false; }
     thread B { b := true; await !a || turn == 0; critical2: skip; b := false; }
     never A at critical1 && B at critical2;",
    "var i: int = 0; var sum: int = 0;
     thread A { while i < 3 { atomic { sum := sum + i; i := i + 1; } } }
     thread B { await i >= 2; assert sum <= 0; }",
    "var free: int = 1; var got: int = 0;
     thread A { local mine: bool = false; if free > 0 { free := free - 1; got := got + 1; mine := true; } assert got <= 1; }
     thread B { local mine: bool = false; if free > 0 { free := free - 1; got := got + 1; mine := true; } assert free >= 0; }",
];

const GOAL: Goal = Goal::Assert;

fn program(text: &str) -> Program {
    load(&Source::new("wrong.rely", Language::Rely, text)).expect("a program").program
}

/// What a strategy proves of a program, if the checker agrees.
fn proved(program: &Program, by: &dyn Strategy, budget: &Budget) -> Option<Proved> {
    let task = crate::Task { program, goal: GOAL, observer: &Silent };
    let Claim::Safe(proof) = by.claim(task, budget).claim else { return None };
    match check(program, GOAL, Claim::Safe(proof), budget).into_verdict() {
        Verdict::Safe(proved) => Some(proved),
        _ => None,
    }
}

/// A wrong transformation and what it makes of a program.
type Damaged = (&'static str, Program);

fn damaged(program: &Program) -> Vec<Damaged> {
    let mut all = Vec::new();
    for (edge, declaration) in program.edges().iter() {
        for (position, op) in declaration.ops.iter().enumerate() {
            let mut with = |name, ops: Vec<Op>| {
                let mut editor = ProgramEditor::new(program.clone());
                editor.edges_mut()[edge].ops.splice(position..=position, ops);
                all.push((name, editor.finish()));
            };
            let never = || Op::wait(Expr::Bool(false));
            match op {
                Op::Assume(condition, kind) => {
                    with("a test is always passed", Vec::new());
                    with("an edge is taken for dead", vec![never()]);
                    with("a test is negated", vec![Op::Assume(condition.clone().negate(), *kind)]);
                }
                Op::Check(..) => with("a check is taken for true", Vec::new()),
                Op::Assign(assignments) => {
                    with("a write is taken for needless", Vec::new());
                    with("a step is taken for one that never happens", vec![never()]);
                    let mut other = assignments.clone();
                    for (_, value) in &mut other {
                        if let Expr::Int(number) = value {
                            *number += 1;
                        }
                    }
                    if other != *assignments {
                        with("a constant is folded wrongly", vec![Op::Assign(other)]);
                    }
                }
                _ => {}
            }
        }
        all.extend(stretched(program, edge));
    }
    all.extend(program.vars().ids().filter_map(|var| begun_elsewhere(program, var)));
    all
}

/// An edge that leads where its thread ends.
fn stretched(program: &Program, edge: EdgeId) -> Option<Damaged> {
    let exit = program.thread_of(program.edges()[edge].source).exit;
    let mut editor = ProgramEditor::new(program.clone());
    editor.edges_mut()[edge].target = exit;
    (program.edges()[edge].target != exit).then(|| ("the end of a thread is sliced off", editor.finish()))
}

/// Another initial value.
fn begun_elsewhere(program: &Program, var: VarId) -> Option<Damaged> {
    let mut editor = ProgramEditor::new(program.clone());
    let Initial::Values(values) = &mut editor.vars_mut()[var].initial else { return None };
    values.iter_mut().for_each(|value| *value = 1 - *value);
    Some(("a prefix is executed wrongly", editor.finish()))
}

#[test]
fn nobody_believes_a_pass_that_was_damaged() {
    let engines = ["rely-guarantee", "explore"].map(|name| strategy(name).expect("an engine"));
    let mut refused: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for text in WRONG {
        let source = program(text);
        let budget = Budget::unlimited();
        let prepared =
            prepare_with(&source, GOAL, CriticalSections::Interleaved, &budget).expect("no limits");
        for (before, back) in [(source.clone(), BackMap::identity()), prepared] {
            for (name, simplified) in damaged(&before) {
                for engine in &engines {
                    let budget = Budget::unlimited().with_step_limit(20_000);
                    let Some(proved) = proved(&simplified, engine.as_ref(), &budget) else { continue };
                    let kind = match proved.proof() {
                        Proof::Exhausted(_) => "states",
                        _ => "assertions",
                    };
                    let simplified = Simplified { program: &simplified, back: &back };
                    let returned = returned(&source, &simplified, GOAL, proved, &Budget::unlimited());
                    assert!(!returned.is_about_source(), "{name}, in {text}");
                    *refused.entry((name, kind)).or_default() += 1;
                }
            }
        }
    }
    let total: usize = refused.values().sum();
    let by_assertions: usize =
        refused.iter().filter(|((_, kind), _)| *kind == "assertions").map(|(_, count)| count).sum();
    assert!(
        total >= 120 && by_assertions >= 60,
        "{total}, {by_assertions} of them by assertions: {refused:#?}"
    );
}

/// Undamaged, the same way leads to a proof about the program.
#[test]
fn a_proof_of_what_passes_have_made_is_one_of_the_program() {
    let texts = [
        "var x: int = 0;
         thread A { local t: int = 0; atomic { t := x; x := t + 1; } }
         thread B { local t: int = 0; atomic { t := x; x := t + 1; } }
         ensures x == 2;",
        "var lock: int = 0; var inside: int = 0;
         thread A { await lock == 0 do { lock := 1; } inside := inside + 1; assert inside == 1; inside := inside - 1; lock := 0; }
         thread B { await lock == 0 do { lock := 2; } inside := inside + 1; assert inside == 1; inside := inside - 1; lock := 0; }",
        "var n: int = *; var a, b: int = 0;
         thread A { local i: int = 0; while i < n { i := i + 1; a := a + 1; } }
         thread B { local i: int = 0; while i < n { i := i + 1; b := b + 1; } }
         ensures n < 0 || a + b == 2 * n;",
    ];
    let engine = strategy("rely-guarantee").expect("an engine");
    for text in texts {
        let (source, budget) = (program(text), Budget::unlimited());
        let (prepared, back) =
            prepare_with(&source, GOAL, CriticalSections::Interleaved, &budget).expect("no limits");
        let proved = proved(&prepared, engine.as_ref(), &budget).expect("a proof");
        let simplified = Simplified { program: &prepared, back: &back };
        let returned = returned(&source, &simplified, GOAL, proved, &budget);
        assert!(returned.is_about_source(), "{text}");
    }
}
