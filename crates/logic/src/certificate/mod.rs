//! Proofs that a set of constraints has no solution, as plain data.
//!
//! A proof is a tree whose leaves are linear combinations of hypotheses that are plainly false.
//! Going down the tree the hypotheses grow: there are the inputs, `0 .. n` in the order in which
//! they were given, and every [`Cut`](ProofNode::Cut) and every side of a split adds exactly one
//! more, numbered `n`, `n + 1`, ... along the path from the root. Both sides of a split continue
//! with the same number.
//!
//! Nothing in here is trusted: the solver writes proofs, [`check`](Proof::check) accepts or
//! rejects them, and the two share only the linear forms.

mod check;
mod proof;

pub use check::ProofError;
pub use proof::{Combination, Hypothesis, Proof, ProofNode, ProofNodeId};

#[cfg(test)]
mod tests;
