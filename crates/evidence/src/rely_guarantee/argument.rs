//! Proofs from which obligations are made.

use super::proof::RelyGuarantee;
use crate::ranking::Ranking;
use rely_program::Goal;

/// A proof that is checked by deciding obligations.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Argument<'p> {
    /// Assertions alone.
    Assertions(&'p RelyGuarantee),
    /// Assertions, and ranks that every step makes smaller.
    Ranking(&'p Ranking),
}

impl<'p> Argument<'p> {
    /// What holds where.
    pub(super) fn assertions(self) -> &'p RelyGuarantee {
        match self {
            Argument::Assertions(proof) => proof,
            Argument::Ranking(ranking) => &ranking.proof,
        }
    }

    /// The ranks, if there are any.
    pub(super) fn ranking(self) -> Option<&'p Ranking> {
        match self {
            Argument::Assertions(_) => None,
            Argument::Ranking(ranking) => Some(ranking),
        }
    }

    /// Whether such a proof says anything about a goal.
    pub(super) fn proves(self, goal: Goal) -> bool {
        match self {
            Argument::Assertions(_) => matches!(goal, Goal::Assert | Goal::Overflow | Goal::Deadlock),
            Argument::Ranking(_) => goal == Goal::Termination,
        }
    }

    /// What the proof is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Argument::Assertions(_) => "rely-guarantee proof",
            Argument::Ranking(_) => "ranking",
        }
    }
}

impl<'p> From<&'p RelyGuarantee> for Argument<'p> {
    fn from(proof: &'p RelyGuarantee) -> Self {
        Argument::Assertions(proof)
    }
}

impl<'p> From<&'p Ranking> for Argument<'p> {
    fn from(ranking: &'p Ranking) -> Self {
        Argument::Ranking(ranking)
    }
}
