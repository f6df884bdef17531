//! Clausal proofs by Houdini-style inference (Flanagan, Leino, FME 2001).
//!
//! Predicate abstraction tells all combinations apart of what a thread tracks, and with several other
//! threads there are very many. But what a thread must know is often a conjunction of short alternatives:
//! *somebody else came after me, or that thread is not competing, or it has only just begun*. Here such
//! clauses are looked for directly: at each control point the short ones that the program suggests and no
//! random walk contradicts; of these, the ones that do not follow from the others are dropped until the
//! rest is inductive. What is left holds in every state. The clauses that the property needs, and those
//! that these need, are the proof.
//!
//! * `vocabulary`, `signs`: what clauses speak of;
//! * `steps`, `obligations`, `propagation`: what must be shown of them, and how;
//! * `shapes`: which of them are tried; `samples`, `induction`: which of these hold;
//! * `needed`: which of them are needed;
//! * `cubes`, `write`: how they are written down.
//!
//! Two things differ from Houdini. Candidates are not given by a user but enumerated from a vocabulary, and
//! random walks throw most of them out before anything is proved. And clauses follow from each other by propagation of single literals, which is fast and finds what
//! short clauses have to offer; what it does not find is lost, but never wrong.

mod cubes;
mod induction;
mod limits;
mod needed;
mod obligations;
mod propagation;
mod samples;
mod shapes;
mod signs;
mod steps;
#[cfg(test)]
mod tests;
mod vocabulary;
mod write;

pub use limits::Limits;

use crate::{Engine, WalkLimits};
use induction::invariants;
use needed::{Needed, needed};
use obligations::Frame;
use rely_base::{Budget, Observer, Round};
use rely_evidence::{Claim, Proof, Reason};
use rely_program::{Goal, Program};
use rely_symbolic::System;
use samples::Samples;
use vocabulary::Vocabulary;
use write::write;

/// The method as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Houdini {
    /// What it may do.
    pub limits: Limits,
    /// What each of the walks may do whose states it samples.
    pub walks: WalkLimits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
}

const NAME: &str = "houdini";

impl Engine for Houdini {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return Claim::Unknown(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let system = match System::new(program, goal, self.symbolic, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason(NAME)),
        };
        prove(self, &system, budget, observer).unwrap_or_else(|| match budget.check_now() {
            Err(reason) => Claim::Unknown(Reason::Stopped(reason)),
            Ok(()) => {
                let why = "no short clauses were found that suffice for a proof".to_owned();
                Claim::Unknown(Reason::GaveUp { engine: NAME, why })
            }
        })
    }
}

/// A proof by clauses, or a violation that a walk has seen; `None` if neither was found.
fn prove(engine: &Houdini, system: &System<'_>, budget: &Budget, observer: &dyn Observer) -> Option<Claim> {
    let limits = engine.limits;
    if system.has_atomic_points || system.threads.iter().any(|thread| thread.is_template) {
        return None;
    }
    let vocabulary = Vocabulary::new(system, budget)?;
    let samples = match Samples::new(system, &vocabulary, limits, engine.walks, budget) {
        Ok(samples) => samples,
        Err(trace) => return Some(Claim::Unsafe(trace)),
    };
    let frame = Frame::new(system, &vocabulary, limits, budget);
    let needed = (limits.first_width..=limits.last_width).find_map(|widest| {
        budget.check_now().ok()?;
        let held = invariants(&frame, &samples, widest, (budget, observer)).ok()?;
        needed(&frame, &held, budget)
    })?;
    tell_end(observer, &vocabulary, &needed);
    write(&frame, &needed, budget).map(|proof| Claim::Safe(Proof::RelyGuarantee(proof)))
}

/// Tells how it ended, with the counts of the rounds before.
fn tell_end(observer: &dyn Observer, vocabulary: &Vocabulary, needed: &Needed) {
    if observer.wants_history() {
        let clauses = needed.clauses.iter().flatten().map(Vec::len).sum::<usize>();
        let counts = vec![("iterations", 0), ("predicates", vocabulary.atoms.len() as u64), ("nodes", 0)];
        let headline = format!("{clauses} clauses instead of trees");
        observer.round(Round { headline, counts, found: Vec::new() });
    }
}
