//! From a counterexample to a finer abstraction, or to the run that it stands for.
//!
//! * [`derivation`]: the derivation of all nodes of the counterexample as Horn clauses;
//! * [`modular`]: in these, a thread may only speak of globals and its own locals;
//! * [`spine`]: the steps along one branch of a tree are a schedule. If it cannot be run, either a
//!   thread is not where its step starts (then its place will be tracked), or the values do not
//!   fit (then predicates over all variables will be); if it can, it violates the property;
//! * [`general`]: where there is no schedule, the derivation with everything that can be spoken of;
//! * [`schedule`]: the branches of all threads that take part, put together, may be a run already;
//! * [`backward`]: from the end of a schedule to what is needed at its beginning;
//! * [`vocabulary`]: either way, predicates speak of as few cells as possible.

mod backward;
mod clauses;
mod derivation;
mod general;
mod modular;
mod schedule;
mod spine;
mod vocabulary;

pub(super) use general::refine as refine_without_schedule;
pub(super) use modular::refine as refine_modularly;
pub(super) use schedule::suggested_run;
pub(super) use spine::refine as refine_generally;

use super::abstraction::Abstraction;
use super::system::SpotId;
use rely_base::StopReason;
use rely_logic::{Constraint, VarId};
use rely_program::{ThreadId, Trace};

/// What came out of a refinement.
pub(super) enum Refinement {
    /// This is worth tracking.
    Track(Found),
    /// The counterexample is a run of the program.
    Violation(Trace),
    /// The counterexample is possible for all that is known, but not certainly a run.
    Undecided(&'static str),
    /// There is nothing in the allowed vocabulary.
    Impossible,
    /// Nothing was found.
    Nothing,
    /// The budget has ended.
    Stopped(StopReason),
}

/// What was found against a counterexample.
pub(super) struct Found {
    pub(super) discoveries: Vec<Discovery>,
    /// Whether the counterexample is excluded for good: its clauses have a solution in which
    /// each state is a conjunction, as abstract states are. A solution with alternatives may
    /// have to be looked for once more, with what is tracked then.
    pub(super) is_final: bool,
}

/// Something to track from now on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Discovery {
    /// A predicate of a thread, which needs it at a spot.
    Predicate { thread: ThreadId, spot: SpotId, constraint: Constraint },
    /// Whether another thread is at one of some spots.
    Place { observer: ThreadId, observed: ThreadId, spots: Vec<SpotId> },
    /// That a cell counts threads.
    Count(VarId),
}

impl Discovery {
    pub(super) fn is_place(&self) -> bool {
        matches!(self, Discovery::Place { .. })
    }

    /// Makes it part of the abstraction; says whether it is new there.
    pub(super) fn apply(&self, abstraction: &mut Abstraction) -> bool {
        match self {
            Discovery::Predicate { thread, spot, constraint } => {
                abstraction.track(*thread, *spot, constraint)
            }
            Discovery::Place { observer, observed, spots } => {
                abstraction.tell_apart(*observer, *observed, spots)
            }
            Discovery::Count(cell) => abstraction.count(*cell),
        }
    }
}
