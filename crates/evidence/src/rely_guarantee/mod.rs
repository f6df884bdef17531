//! Rely-guarantee proofs: their form, and the check that they prove something.
//!
//! The rule is that of Gupta, Popeea and Rybalchenko (POPL 2011): assertions about each thread
//! that hold initially, survive its own steps and the effects of all others' steps, and exclude
//! every violation.

mod proof;

pub use proof::{
    Atom, Comparison, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, Spot, ThreadAssertions,
};
