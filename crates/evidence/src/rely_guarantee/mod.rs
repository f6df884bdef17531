//! Rely-guarantee proofs: their form, and the check that they prove something.
//!
//! The rule is that of Gupta, Popeea and Rybalchenko (POPL 2011): assertions about each thread
//! that hold initially, survive its own steps and the effects of all others' steps, and exclude
//! every violation.
//!
//! The same assertions are the ground on which [rankings](crate::ranking) stand, which show that
//! every run ends; their obligations are made here, too.
//!
//! The [`RelyGuarantee`] proof is plain data. Its check makes all [obligations](Rule) from the
//! program and the proof alone and decides each; it shares no code with any engine.

mod check;
mod export;
mod parts;

pub use crate::data::{
    Atom, AtomPrinter, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee,
    RelyGuaranteeDefect, Rule, Subject, ThreadAssertions,
};
pub use crate::obligations::argument::Argument;
pub use export::{ObligationsError, export_obligations, recheck};

pub(crate) use check::{Accepted, check, check_movability};
pub(crate) use export::{Part, export_parts, recheck_part};
