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
use rely_program::{
    BinaryOp, Domain, Edge, EdgeId, Expr, Goal, Initial, LocationId, Op, Place, Program, ProgramEditor,
    Scope, Sort, ThreadId, Var, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

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
                    let is_number = |place: &Place| program.vars()[place.var()].sort == Sort::Int;
                    if !assignments.iter().all(|(place, _)| is_number(place)) {
                        continue;
                    }
                    for (name, change) in CHANGES {
                        let mut other = assignments.clone();
                        other.iter_mut().for_each(|(_, value)| change(value));
                        if other != *assignments {
                            with(name, vec![Op::Assign(other)]);
                        }
                    }
                    if let [(place, value)] = assignments.as_slice() {
                        for var in others_like(program, (edge, place.var())) {
                            let other = vec![(Place::Scalar(var), value.clone())];
                            with("a write goes to another variable", vec![Op::Assign(other)]);
                        }
                    }
                    with("a write is made twice", vec![op.clone(), op.clone()]);
                }
                _ => {}
            }
        }
        all.extend(stretched(program, edge));
        all.extend(redirected(program, edge));
    }
    all.extend(program.vars().ids().flat_map(|var| begun_elsewhere(program, var)));
    all.extend(program.threads().ids().map(|thread| asleep(program, thread)));
    all.extend(program.locations().ids().map(|location| made_atomic(program, location)));
    all
}

/// Other variables that the thread of an edge may write as well.
fn others_like(program: &Program, (edge, var): (EdgeId, VarId)) -> Vec<VarId> {
    let thread = program.locations()[program.edges()[edge].source].thread;
    let fits = |(id, other): &(VarId, &Var)| {
        let is_visible = [Scope::Global, Scope::Local(thread)].contains(&other.scope);
        *id != var && is_visible && other.sort == Sort::Int && other.length.is_none()
    };
    program.vars().iter().filter(fits).map(|(id, _)| id).collect()
}

/// What is done to an expression.
type Change = fn(&mut Expr);

/// Wrong ways to fold, to merge and to rename.
const CHANGES: [(&str, Change); 4] = [
    ("a constant is folded wrongly", |value| {
        if let Expr::Int(number) = value {
            *number += 1;
        }
    }),
    ("a constant gets the other sign", |value| {
        if let Expr::Int(number) = value {
            *number = -*number;
        }
    }),
    ("a sum is taken for a difference", |value| {
        if let Expr::Binary(operator, _) = value {
            match operator {
                BinaryOp::Add => *operator = BinaryOp::Sub,
                BinaryOp::Sub => *operator = BinaryOp::Add,
                _ => {}
            }
        }
    }),
    ("a value is taken for zero", |value| {
        if !matches!(value, Expr::Int(_) | Expr::Bool(_)) {
            *value = Expr::Int(0);
        }
    }),
];

/// An edge that leads to another place of its thread.
fn redirected(program: &Program, edge: EdgeId) -> Vec<Damaged> {
    let &Edge { source, target, .. } = &program.edges()[edge];
    let thread = program.locations()[source].thread;
    let others = program.locations().iter().filter(|(id, at)| at.thread == thread && *id != target);
    let led = |(id, _)| {
        let mut editor = ProgramEditor::new(program.clone());
        editor.edges_mut()[edge].target = id;
        let name = if id == source { "a step is taken for an idle loop" } else { "two places are merged" };
        (name, editor.finish())
    };
    others.map(led).collect()
}

/// A thread that makes no step.
fn asleep(program: &Program, thread: ThreadId) -> Damaged {
    let mut editor = ProgramEditor::new(program.clone());
    let own = program.edges().iter().filter(|(_, edge)| program.locations()[edge.source].thread == thread);
    for (edge, _) in own {
        editor.edges_mut()[edge].ops = vec![Op::wait(Expr::Bool(false))];
    }
    ("a thread is sliced away", editor.finish())
}

/// A place at which nobody else gets a turn.
fn made_atomic(program: &Program, location: LocationId) -> Damaged {
    let made = program.with_atomic([location]);
    ("steps are joined that do not commute", made.unwrap_or_else(|_| program.clone()))
}

/// An edge that leads where its thread ends.
fn stretched(program: &Program, edge: EdgeId) -> Option<Damaged> {
    let exit = program.thread_of(program.edges()[edge].source).exit;
    let mut editor = ProgramEditor::new(program.clone());
    editor.edges_mut()[edge].target = exit;
    (program.edges()[edge].target != exit).then(|| ("the end of a thread is sliced off", editor.finish()))
}

/// Other initial values.
fn begun_elsewhere(program: &Program, var: VarId) -> Vec<Damaged> {
    let with = |name, initial: Initial| {
        let mut editor = ProgramEditor::new(program.clone());
        editor.vars_mut()[var].initial = initial;
        (name, editor.finish())
    };
    match &program.vars()[var].initial {
        Initial::Values(values) => {
            let other = values.iter().map(|value| 1 - *value).collect();
            let mut all = vec![with("a prefix is executed wrongly", Initial::Values(other))];
            if program.vars()[var].sort == Sort::Int {
                let far = values.iter().map(|value| value + 2).collect();
                all.push(with("a prefix is executed too far", Initial::Values(far)));
            }
            all
        }
        Initial::Any(_) => vec![
            with("a range is taken for one value", Initial::Values(vec![0])),
            with("a range is taken for too small", Initial::Any(Domain::Range { low: 5, high: 6 })),
        ],
    }
}

#[test]
fn nobody_believes_a_pass_that_was_damaged() {
    let engines = ["rely-guarantee", "explore"].map(|name| strategy(name).expect("an engine"));
    let mut refused: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut transformations = 0;
    for text in WRONG {
        let source = program(text);
        let budget = Budget::unlimited();
        let prepared =
            prepare_with(&source, GOAL, CriticalSections::Interleaved, &budget).expect("no limits");
        for (before, back) in [(source.clone(), BackMap::identity()), prepared] {
            for (name, simplified) in damaged(&before) {
                let mut is_refused = false;
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
                    is_refused = true;
                }
                transformations += usize::from(is_refused);
            }
        }
    }
    let kinds: BTreeSet<&str> = refused.keys().map(|(name, _)| *name).collect();
    let total: usize = refused.values().sum();
    let by_assertions: usize =
        refused.iter().filter(|((_, kind), _)| *kind == "assertions").map(|(_, count)| count).sum();
    assert!(
        transformations >= 200 && by_assertions >= 150 && kinds.len() >= 15,
        "{transformations} wrong transformations, {total} proofs, {by_assertions} of them by assertions: {refused:#?}"
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
