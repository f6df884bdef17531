//! Refinement in the general form, without a schedule.
//!
//! A branch of a tree is a schedule only if every step in it is one of an instance. Where templates
//! take part, nobody knows which of their instances does what; but the derivation of the
//! counterexample may still be excluded by what instances know of each other.

use super::Refinement;
use super::derivation::{Form, solve};
use crate::rely_guarantee::seeds::Seeds;
use crate::rely_guarantee::tree::{Counterexample, Trees};
use rely_base::Budget;

/// Looks for predicates over everything that exclude the counterexample.
pub(in crate::rely_guarantee) fn refine(
    trees: &Trees<'_, '_>,
    counterexample: &Counterexample,
    seeds: &Seeds,
    budget: &Budget,
) -> Refinement {
    match solve(trees, counterexample, Form::General, trees.counted(), (seeds, budget)) {
        // That says nothing about modular proofs, which need not exist either.
        Refinement::Impossible => Refinement::Nothing,
        refinement => refinement,
    }
}
