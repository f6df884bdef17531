//! Rely-guarantee verification by predicate abstraction (Gupta, Popeea, Rybalchenko, POPL 2011).
//!
//! Each thread is verified by itself, against an environment that is found at the same time: the
//! abstract steps of all others. Where the abstraction is too coarse, Horn clauses that describe the
//! counterexample say what must be tracked.
//!
//! * `attempt`: the loop of growing trees and refining;
//! * `precision`: predicates at control points, what threads tell apart of each other's places, and what is
//!   worth tracking for several threads;
//! * `reach`: abstract reachability with environment transitions;
//! * `refine`: from counterexamples to what must be tracked, or to a run;
//! * `candidates`: predicates that the source and its numbers suggest;
//! * `extract`: what is claimed in the end;
//! * `history`: what reports tell of it.
//!
//! The program as a transition system, and the writing of proofs, are in the crate `symbolic`: other engines
//! use them, too.
//!
//! Two things differ from the paper. While trees grow, environment transitions are not abstracted by
//! predicates about two states: the step of another thread is combined with what its tree knows at
//! that control point, as far as it can matter to others, which is never coarser and saves a kind of
//! refinement. And a general (not modular) refinement reads one branch of a tree as a schedule, if it
//! is one: the branch alone excludes itself or is a run of the program, so its clauses form a chain
//! instead of a tree.
//!
//! Which predicates are found first decides over whether few or very many are needed, and nobody knows
//! beforehand. So whoever runs this method can make several [`Attempt`]s, each with its own [`Bias`], let
//! them [advance](Attempt::advance) in turns, and have a [`Falsifier`] look for violations in between.

mod attempt;
mod candidates;
mod extract;
mod history;
mod limits;
mod precision;
mod reach;
mod refine;
#[cfg(test)]
mod tests;

pub use attempt::Attempt;
pub use limits::Limits;

use crate::Engine;
use candidates::Candidates;
use precision::symmetry::Symmetries;
use rely_base::{Budget, Observer};
use rely_evidence::{Claim, Reason};
use rely_program::{Goal, Program, Trace};
use rely_symbolic::System;

/// Which predicates are looked for first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bias {
    /// Those in which each thread speaks of globals and its own locals only.
    #[default]
    Modular,
    /// Any.
    None,
}

impl Bias {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Bias::Modular => Bias::None,
            Bias::None => Bias::Modular,
        }
    }
}

/// The method as an engine: one attempt, as long as it takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RelyGuarantee {
    /// Which predicates are looked for first.
    pub bias: Bias,
    /// What it may do.
    pub limits: Limits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
}

const NAME: &str = "rely-guarantee";

impl Engine for RelyGuarantee {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        let prepared = match Prepared::new(program, goal, self.limits, self.symbolic, budget) {
            Ok(prepared) => prepared,
            Err(reason) => return Claim::Unknown(reason),
        };
        let mut attempt = prepared.attempt(self.bias, budget, observer);
        let mut most_nodes = self.limits.nodes_at_first;
        loop {
            if let Some(claim) = attempt.advance(most_nodes, &mut Nobody) {
                return claim;
            }
            most_nodes = most_nodes.saturating_mul(2);
        }
    }
}

/// Looks for violations in the program itself while trees grow.
///
/// Large trees are a sign of a violation that only a long run shows: every shorter one has to be
/// excluded before. So whoever runs an attempt may look for one by other means in between.
pub trait Falsifier {
    /// The size of the trees at which to look again.
    fn due(&self) -> usize;

    /// Looks for a violation, and says later when to look again.
    fn look(&mut self) -> Option<Trace>;
}

/// Does not look.
struct Nobody;

impl Falsifier for Nobody {
    fn due(&self) -> usize {
        usize::MAX
    }

    fn look(&mut self) -> Option<Trace> {
        None
    }
}

/// What all attempts at a program have in common.
pub struct Prepared<'p> {
    system: System<'p>,
    candidates: Candidates,
    symmetries: Symmetries,
}

impl<'p> Prepared<'p> {
    /// Translates a program; or says why the method does not fit.
    pub fn new(
        program: &'p Program,
        goal: Goal,
        limits: Limits,
        symbolic: rely_symbolic::Limits,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return Err(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let system = System::new(program, goal, symbolic, budget).map_err(|unfit| unfit.reason(NAME))?;
        let (candidates, symmetries) = (Candidates::new(&system, limits), Symmetries::new(&system));
        Ok(Prepared { system, candidates, symmetries })
    }

    /// An attempt that tracks nothing yet.
    pub fn attempt<'a>(&'a self, bias: Bias, budget: &'a Budget, observer: &'a dyn Observer) -> Attempt<'a> {
        let Prepared { system, candidates, symmetries } = self;
        Attempt::new(bias, (system, candidates, symmetries), budget, observer)
    }
}

fn gave_up(why: &str) -> Claim {
    Claim::Unknown(Reason::GaveUp { engine: NAME, why: why.to_owned() })
}
