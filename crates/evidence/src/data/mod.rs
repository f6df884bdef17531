//! Evidence as plain data: claims and their proofs, the reasons why something is not known or not believed, and
//! the formats in which evidence is written down. Nothing here checks anything.
//!
//! * [`claim`]: claims and proofs of all kinds; [`assertions`], [`counting`], [`ranking`], [`helping`]: what they are made of;
//! * [`reason`], [`defect`], [`obstacle`]: why there is no verdict, and what is wrong with a proof;
//! * [`states`]: lists of states, exactly, in a few bytes each;
//! * [`mod@format`]: versioned texts; [`print`]: texts for people.

mod assertions;
mod claim;
mod counting;
mod defect;
mod format;
mod helping;
mod obstacle;
mod print;
mod ranking;
mod reason;
mod states;

pub use assertions::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
pub use claim::{Claim, Exhausted, Mover, Phase, Proof, Reduced, Reduction, reduced_program};
pub use counting::{CountAtom, Counter, Counting, Invariant, InvariantPrinter, Summand};
pub use defect::{RelyGuaranteeDefect, Rule, Subject};
pub use format::{
    About, Certificate, ProofFormatError, TraceFormatError, fingerprint, proof_to_json, trace_from_json,
    trace_to_json,
};
pub use helping::{Help, Helping};
pub(crate) use obstacle::Obstacle;
pub use print::AtomPrinter;
pub(crate) use ranking::{MOST_CASES, MOST_COMPONENTS};
pub use ranking::{RankCase, Ranking, Sum, ThreadRanks};
pub use reason::{BlockRule, ProofDefect, Reason, ReducedDefect, Rejection, TraceDefect};
pub use states::StateList;
