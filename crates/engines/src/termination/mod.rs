//! Termination by rankings, for any inputs and any bounds of loops.
//!
//! Every run ends if there is a tuple of natural numbers for each state that each step makes smaller. The tuple is the
//! sum of the *ranks* of the threads, and the rank of a thread depends on where it is, on its own variables and on
//! the globals. The method:
//!
//! 1. `invariants`: what holds at each control point, by a thread-modular analysis;
//! 2. `ranks`: ranks that each step makes smaller, by linear programming (`farkas`);
//! 3. `proof`: both written down as a [`Ranking`](rely_evidence::ranking), which the checker judges.
//!
//! If octagons are too weak for invariants, polyhedra are tried.
//!
//! That no thread waits for ever is another engine's claim, from the same parts: see [`Helping`].
//!
//! # Blocking
//!
//! To terminate is also that no thread is blocked for ever. If no run is infinite, a thread that is blocked for ever
//! is blocked in the last state of a run, in which nobody moves: a deadlock of all threads. So the checker
//! shows that no such state is reached, from the same invariants, and there is nothing else to show.
//!
//! # Compared with the paper
//!
//! RULETERMINATION (Popeea, Rybalchenko, Wilhelm: RedComp, Section IV.B) asks for transition invariants inside of
//! blocks and across them that are disjunctively well-founded: unions of relations each of which has a ranking
//! function, found one by one from abstract lassos. Here the ranking functions are the components of one
//! lexicographic rank, found one by one from the steps that are left. That is weaker where no order of the
//! components exists, but nothing has to be closed under composition, and the ranks can be read.
//!
//! # Fairness
//!
//! A thread that waits in a loop goes round without changing anything. If only fair runs must end, such steps need not
//! make a rank smaller; the checker shows instead that somebody else can go on meanwhile.

mod farkas;
mod graph;
mod help;
mod invariants;
mod landmarks;
mod limits;
mod proof;
mod ranks;
mod state;
#[cfg(test)]
mod tests;
mod waits;

pub use help::Helping;
pub use limits::Limits;

use crate::Engine;
use invariants::invariants;
use ranks::{NoRanks, ranks};
use rely_base::{Budget, Observer, Progress, StopReason};
use rely_evidence::ranking::Ranking;
use rely_evidence::{Claim, Proof, Reason};
use rely_logic::domains::{NumericDomain, Octagons, Polyhedra};
use rely_program::{Goal, Program};
use rely_symbolic::System;

const NAME: &str = "termination";

/// The method as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Termination {
    /// What it may do.
    pub limits: Limits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
}

impl Engine for Termination {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        // If every run ends, and none with a thread that waits, then nobody waits for ever.
        if !goal.is_termination() && goal != Goal::Deadlock {
            return Claim::Unknown(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let system = match System::new(program, goal, self.symbolic, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason(NAME)),
        };
        if system.threads.iter().any(|thread| thread.is_template) {
            let construct = "any number of threads".to_owned();
            return Claim::Unknown(Reason::UnsupportedConstruct { engine: NAME, construct });
        }
        if system.moves.len() > self.limits.moves {
            return Claim::Unknown(gave_up(NAME, "the program has too many steps"));
        }
        let found = self.prove::<Octagons>(&system, budget, observer, "octagons");
        let found = match found {
            Err(NoRanks::Left) => self.prove::<Polyhedra>(&system, budget, observer, "polyhedra"),
            found => found,
        };
        match found {
            Ok(Some(ranking)) => Claim::Safe(Proof::Ranking(ranking)),
            Ok(None) => Claim::Unknown(gave_up(NAME, "the ranks have too large numbers")),
            Err(NoRanks::Stopped(reason)) => Claim::Unknown(Reason::Stopped(reason)),
            Err(NoRanks::Left) => match budget.check_now() {
                Err(reason) => Claim::Unknown(Reason::Stopped(reason)),
                Ok(()) => Claim::Unknown(gave_up(NAME, "no ranks were found that every step makes smaller")),
            },
        }
    }
}

impl Termination {
    /// A ranking over the invariants of a numeric domain; `None` if it cannot be written down.
    fn prove<D: NumericDomain>(
        &self,
        system: &System<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        domain: &'static str,
    ) -> Result<Option<Ranking>, NoRanks> {
        observer.progress(&Progress { activity: domain, counts: vec![("steps", system.moves.len() as u64)] });
        let known = invariants::<D>(system, self.limits, budget)?;
        let components = ranks(system, &known, self.limits, budget)?;
        let ranking = proof::write(system, known, &components, budget);
        match budget.check_now() {
            Err(reason @ StopReason::Cancelled) => Err(NoRanks::Stopped(reason)),
            _ => Ok(ranking),
        }
    }
}

fn gave_up(engine: &'static str, why: &str) -> Reason {
    Reason::GaveUp { engine, why: why.to_owned() }
}
