//! States in which threads are only counted, for programs with finitely many values.
//!
//! Threads of one template that stand at the same place with the same values are all alike, so a state is the
//! values of the globals, the instances, and *how many* threads are in which local state: an
//! *omega configuration*. More threads can do whatever fewer can. So if one is reached again with more
//! threads in it, what happened in between can happen as often as one likes, and the threads that
//! were added become *any number* (Karp and Miller, *Parallel program schemata*, 1969). With finitely
//! many values of globals and locals this ends, with finitely many omega configurations that cover all states.
//!
//! * `configuration`: the states, and their steps;
//! * `cover`: the search for omega configurations that cover everything;
//! * `live`: which locals matter where;
//! * `proof`: the omega configurations as an invariant: one of them covers the state, always. It is a
//!   [counting proof](rely_evidence::counting), and the checker does not know where it comes from.

mod configuration;
mod cover;
mod failure;
mod live;
mod proof;

use super::limits::Limits;
use cover::Cover;
use failure::Failure;
use proof::counting;
use rely_base::Budget;
use rely_evidence::{Claim, Proof, Reason};
use rely_program::{Expr, Goal, Op, Program, PropertyKind};

/// What the method finds out about a program.
pub(super) fn claim(program: &Program, goal: Goal, limits: Limits, budget: &Budget) -> Claim {
    let engine = super::NAME;
    if let Some(what) = unsupported(program, goal) {
        return Claim::Unknown(Reason::UnsupportedConstruct { engine, construct: what.to_owned() });
    }
    let gave_up = |why: &str| Claim::Unknown(Reason::GaveUp { engine, why: why.to_owned() });
    match Cover::of(program, goal, limits, budget) {
        Ok(cover) => match counting(program, &cover, limits.comparisons) {
            Some(proof) => Claim::Safe(Proof::Counting(proof)),
            None => gave_up("the states are too many for a proof that can be checked"),
        },
        Err(Failure::Stopped(reason)) => Claim::Unknown(Reason::Stopped(reason)),
        Err(Failure::Violation) => {
            gave_up("with enough threads there is a violation, but no run was constructed")
        }
        Err(Failure::TooLarge) => gave_up("too many states differ in more than numbers of threads"),
        Err(Failure::TooManyChoices) => gave_up("not all values of a choice can be tried"),
        Err(Failure::NoMeaning) => gave_up("a step has no meaning"),
    }
}

/// What of a program the method cannot treat.
fn unsupported(program: &Program, goal: Goal) -> Option<&'static str> {
    if goal == Goal::Deadlock {
        return Some("deadlocks");
    }
    if program
        .properties()
        .iter()
        .any(|property| matches!(property.kind, PropertyKind::Always(_) | PropertyKind::AtEnd(_)))
    {
        return Some("properties of states");
    }
    if program.locations().values().any(|location| location.atomic) {
        return Some("atomic blocks of several steps");
    }
    program.edges().values().flat_map(|edge| &edge.ops).find_map(names_threads)
}

/// Threads that are only counted have no names.
fn names_threads(op: &Op) -> Option<&'static str> {
    let mut names = matches!(op, Op::Join(_) | Op::Spawn { handle: Some(_), .. });
    let mut look_at = |expr: &Expr| {
        expr.walk(&mut |part| {
            names |= matches!(part, Expr::This | Expr::CountAt(_) | Expr::CountRunning(_));
        });
    };
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) => look_at(condition),
        Op::Assign(assignments) => assignments.iter().for_each(|(_, value)| look_at(value)),
        Op::Spawn { arguments, .. } => arguments.iter().for_each(look_at),
        Op::Havoc(..) | Op::Join(_) | Op::Halt => {}
    }
    names.then_some("a program that uses the names of threads")
}
