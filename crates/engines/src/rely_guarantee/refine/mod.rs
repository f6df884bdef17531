//! From a counterexample to a finer precision, or to the run that it stands for.
//!
//! * [`derivation`]: the derivation of all nodes of the counterexample as Horn clauses;
//! * [`modular`]: in these, a thread may only speak of globals and its own locals;
//! * [`spine`]: the steps along one branch of a tree are a schedule. If it cannot be run, either a
//!   thread is not where its step starts (then its place will be tracked), or the values do not
//!   fit (then predicates over all variables will be); if it can, it violates the property;
//! * [`general`]: where there is no schedule, the derivation with everything that can be spoken of;
//! * [`schedule`]: the branches of all threads that take part, put together, may be a run already;
//! * [`trace`]: a schedule with values as a run of the program;
//! * [`excluded`]: counterexamples so far, and which places are still needed against them;
//! * [`backward`]: from the end of a schedule to what is needed at its beginning;
//! * [`vocabulary`]: either way, predicates speak of as few cells as possible.

mod backward;
mod clauses;
mod derivation;
pub(crate) mod excluded;
mod general;
mod modular;
mod schedule;
mod solve;
mod spine;
mod trace;
mod vocabulary;

pub(crate) use general::refine as refine_without_schedule;
pub(crate) use modular::refine as refine_modularly;
pub(crate) use schedule::suggested_run;
pub(crate) use spine::refine as refine_generally;

use super::precision::PrecisionIncrement;
use rely_base::StopReason;
use rely_program::Trace;

/// What came out of a refinement.
pub(crate) enum Refinement {
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
pub(crate) struct Found {
    pub(crate) increments: Vec<PrecisionIncrement>,
    /// Whether the counterexample is excluded for good: its clauses have a solution in which
    /// each state is a conjunction, as abstract states are. A solution with alternatives may
    /// have to be looked for once more, with what is tracked then.
    pub(crate) is_final: bool,
}
