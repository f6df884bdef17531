//! Refinement in the general form, without a schedule.
//!
//! A branch of a tree is a schedule only if every step in it is one of an instance. Where templates
//! take part, nobody knows which of their instances does what; but the derivation of the
//! counterexample may still be excluded by what instances know of each other.

use super::Refinement;
use super::derivation::{Form, solve};
use crate::rely_guarantee::candidates::Candidates;
use crate::rely_guarantee::reach::{Counterexample, Trees};
use rely_base::Budget;

/// Looks for predicates over everything that exclude the counterexample.
pub(crate) fn refine(
    trees: &Trees<'_, '_>,
    counterexample: &Counterexample,
    candidates: &Candidates,
    budget: &Budget,
) -> Refinement {
    match solve(trees, counterexample, Form::General, trees.counted(), (candidates, budget)) {
        // That says nothing about modular proofs, which need not exist either.
        Refinement::Impossible => Refinement::Nothing,
        refinement => refinement,
    }
}
