//! Programs as linear guarded commands, for engines that reason about sets of states.
//!
//! Every cell of every variable becomes a variable of the constraint solver ([`Cells`]). Every edge
//! becomes a few [`Branch`]es: a conjunction of linear constraints under which it is taken, and a
//! linear form for each cell that it changes. Conditions with `or`, conditional values, and arrays
//! with computed indices are split into cases, so that a branch never contains a disjunction.
//! Violations of properties are [`Violation`]s of the same shape.
//!
//! All of them together, with numbered places of threads, are a [`System`]; what engines find out about its
//! threads is written down as a proof by [`outline`].
//!
//! What is not linear (products of variables, some bit operations) gets an unknown value; such a
//! branch allows more than the program does and is marked as not exact.

mod arith;
mod cells;
pub mod condense;
mod edge;
mod expr;
mod limits;
pub mod outline;
mod property;
mod roles;
mod system;
pub mod way_back;

pub use cells::Cells;
pub use edge::{Branch, BranchEnd};
pub use expr::{TooManyCases, Translator};
pub use limits::{Limits, TranslationLimits};
pub use property::{Violation, initial_states};
pub use roles::{Role, role_facts, roles};
pub use system::{
    ControlPointId, CountingInvariants, Move, MoveId, System, ThreadView, Unfit, before, updated,
};

use rely_evidence::rely_guarantee::ControlPoint;
use rely_program::ThreadId;

/// A condition on where an instance stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceTest {
    /// Which instance.
    pub thread: ThreadId,
    /// At one of these.
    pub points: Vec<ControlPoint>,
}
