//! Deciding a tree of formulas, by whatever method works.

use rely_base::Budget;

use super::cases::by_cases;
use super::extract::Interpolants;
use super::limits::Limits;
use super::resolution::by_resolution;
use super::translate::Problem;
use super::unknown::Unknown;
use crate::conjunction::Model;

/// What came out of a tree of formulas.
pub(super) enum Outcome {
    /// It is unsatisfiable, and this is what is between the parts.
    Refuted(Interpolants),
    /// It is satisfiable, as far as linear arithmetic knows.
    Model(Model),
    /// Neither was found.
    Unknown(Unknown),
}

/// How much work may be done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort<'a> {
    /// How much any question may cost.
    pub(super) limits: &'a Limits,
    /// Questions for the sake of simplicity.
    pub(super) questions: usize,
    /// Case distinctions of the solver for a single conjunction.
    pub(super) splits: usize,
}

/// Decides a problem: by cases, which gives the simpler interpolants, or else by resolution.
pub(super) fn decide(problem: &mut Problem, effort: Effort<'_>, budget: &Budget) -> Outcome {
    match by_cases(problem, effort, budget) {
        Outcome::Unknown(Unknown::Cases) => by_resolution(problem, effort, budget),
        outcome => outcome,
    }
}
