//! Proofs from which obligations are made.

use super::forward::starts_for_ever;
use crate::data::{Counting, Helping, Invariant, Ranking, RelyGuarantee};
use rely_program::{Goal, Program};

/// A proof that is checked by deciding obligations.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Argument<'p> {
    /// Assertions alone.
    Assertions(&'p RelyGuarantee),
    /// Assertions, and ranks that every step makes smaller.
    Ranking(&'p Ranking),
    /// Assertions, and steps that help whoever waits.
    Helping(&'p Helping),
    /// Assertions, and relations between variables and numbers of threads.
    Counting(&'p Counting),
}

impl<'p> Argument<'p> {
    /// What holds where.
    pub(crate) fn assertions(self) -> &'p RelyGuarantee {
        match self {
            Argument::Assertions(proof) => proof,
            Argument::Ranking(ranking) => &ranking.proof,
            Argument::Helping(helping) => &helping.proof,
            Argument::Counting(counting) => &counting.proof,
        }
    }

    /// The ranks, if there are any.
    pub(crate) fn ranking(self) -> Option<&'p Ranking> {
        match self {
            Argument::Ranking(ranking) => Some(ranking),
            Argument::Assertions(_) | Argument::Helping(_) | Argument::Counting(_) => None,
        }
    }

    /// Who helps whoever waits, if it says so.
    pub(crate) fn helping(self) -> Option<&'p Helping> {
        match self {
            Argument::Helping(helping) => Some(helping),
            Argument::Assertions(_) | Argument::Ranking(_) | Argument::Counting(_) => None,
        }
    }

    /// What holds in every state, if threads are counted.
    pub(crate) fn invariants(self) -> Option<&'p [Invariant]> {
        match self {
            Argument::Counting(counting) => Some(&counting.invariants),
            Argument::Assertions(_) | Argument::Ranking(_) | Argument::Helping(_) => None,
        }
    }

    /// Whether such a proof says anything about a goal of a program.
    pub(crate) fn proves(self, program: &Program, goal: Goal) -> bool {
        match (self, goal) {
            (
                Argument::Assertions(_) | Argument::Counting(_),
                Goal::Assert | Goal::Overflow | Goal::Memory,
            ) => true,
            (Argument::Assertions(_) | Argument::Counting(_), Goal::Deadlock) => !starts_for_ever(program),
            // If every run ends, so does every fair one; and if none ends with a thread that waits, none waits for ever.
            (Argument::Helping(_), goal) => goal == Goal::Deadlock,
            (Argument::Ranking(_), goal) => goal.is_termination() || goal == Goal::Deadlock,
            (Argument::Assertions(_) | Argument::Counting(_), _) => false,
        }
    }

    /// What the proof is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Argument::Assertions(_) => "rely-guarantee proof",
            Argument::Ranking(_) => "ranking",
            Argument::Helping(_) => "proof by help",
            Argument::Counting(_) => "counting proof",
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

impl<'p> From<&'p Helping> for Argument<'p> {
    fn from(helping: &'p Helping) -> Self {
        Argument::Helping(helping)
    }
}

impl<'p> From<&'p Counting> for Argument<'p> {
    fn from(counting: &'p Counting) -> Self {
        Argument::Counting(counting)
    }
}
