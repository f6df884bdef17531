//! Any number of threads: states in which threads are only counted.
//!
//! Where threads are started in an endless loop there are infinitely many states. But threads of
//! one template that stand at the same place with the same values are all alike, so a state is the
//! values of the globals, the instances, and *how many* threads are in which local state: an
//! *omega configuration*. More threads can do whatever fewer can. So if one is reached again with more
//! threads in it, what happened in between can happen as often as one likes, and the threads that
//! were added become *any number* (Karp and Miller, *Parallel program schemata*, 1969). With finitely
//! many values of globals and locals this ends, with finitely many omega configurations that cover all states.
//!
//! * `omega`: the states, and their steps;
//! * `cover`: the search for omega configurations that cover everything;
//! * `live`: which locals matter where;
//! * `proof`: the omega configurations as an invariant: one of them covers the state, always. It is a
//!   [counting proof](rely_evidence::counting), and the checker does not know where it comes from.

mod cover;
mod failure;
mod limits;
mod live;
mod omega;
mod proof;

pub use limits::Limits;

use crate::Engine;
use cover::Cover;
use failure::Failure;
use rely_base::{Budget, Observer};
use rely_evidence::{Claim, Proof, Reason};
use rely_program::{Expr, Goal, Op, Program, PropertyKind, ThreadKind};

/// Proofs about any number of threads with finitely many local states each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameterized {
    /// What it may do.
    pub limits: Limits,
}

impl Engine for Parameterized {
    fn name(&self) -> &'static str {
        "parameterized"
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, _: &dyn Observer) -> Claim {
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return Claim::Unknown(Reason::UnsupportedGoal { engine: self.name(), goal });
        }
        if let Some(what) = unsupported(program) {
            return Claim::Unknown(Reason::UnsupportedConstruct {
                engine: self.name(),
                construct: what.to_owned(),
            });
        }
        match Cover::of(program, goal, self.limits, budget) {
            Ok(cover) => match proof::counting(program, &cover, self.limits.comparisons) {
                Some(proof) => Claim::Safe(Proof::Counting(proof)),
                None => self.gave_up("the states are too many for a proof that can be checked"),
            },
            Err(Failure::Stopped(reason)) => Claim::Unknown(Reason::Stopped(reason)),
            Err(Failure::Violation) => {
                self.gave_up("with enough threads there is a violation, but no run was constructed")
            }
            Err(Failure::TooLarge) => self.gave_up("too many states differ in more than numbers of threads"),
            Err(Failure::TooManyChoices) => self.gave_up("not all values of a choice can be tried"),
            Err(Failure::NoMeaning) => self.gave_up("a step has no meaning"),
        }
    }
}

impl Parameterized {
    fn gave_up(&self, why: &str) -> Claim {
        Claim::Unknown(Reason::GaveUp { engine: self.name(), why: why.to_owned() })
    }
}

/// What of a program the method cannot treat.
fn unsupported(program: &Program) -> Option<&'static str> {
    if !program.threads().values().any(|thread| thread.kind == ThreadKind::Template) {
        return Some("a program whose threads are known");
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
