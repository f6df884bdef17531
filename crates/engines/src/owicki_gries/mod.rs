//! Owicki and Gries' proofs, found by a solver of Horn clauses.
//!
//! Owicki, Gries: *An axiomatic proof technique for parallel programs I* (1976). A proof has an assertion for each
//! place of each thread; they hold initially, the steps of the thread lead from one to the next, and no step of
//! another thread invalidates one (*interference freedom*). These conditions are Horn clauses about the assertions,
//! see [`rely_proof_rules`], and [`rely_horn`] solves them by predicate abstraction with tree interpolants, as
//! Grebenshchikov, Lopes, Popeea and Rybalchenko have shown (PLDI 2012).
//!
//! - A model of the clauses is a proof (`proof`): its formulas are the assertions.
//! - A derivation of false is perhaps a run (`run`): what a thread sees, its own steps and those of others, is a
//!   schedule for everybody, and it is replayed.
//!
//! What assertions may speak of decides what can be proved. Owicki and Gries have auxiliary variables for that.
//! Here the first attempt has assertions over the globals, the thread's own locals, and *where* the others are. If
//! its clauses have no model and their derivation is no run, or if they take too long, a second attempt has
//! assertions over everything, other threads' locals included. Then a derivation is a run: the schedule that a thread
//! sees is one of whole states.
//!
//! With [`summarising`](OwickiGries::summarising), the rule is RULESAFETY (Popeea, Rybalchenko, Wilhelm, FMCAD 2014): what
//! is atomic has summaries instead of assertions, and a model of both is a proof, too (`summaries`). Where nothing is
//! atomic, both rules are the same.
//!
//! Departure from the paper: assertions are not written by a person, and the conditions are not divided into proofs
//! of single threads first and interference freedom then, but solved together.

mod limits;
mod proof;
mod run;
mod summaries;

pub use limits::Limits;
pub use rely_horn::Limits as HornLimits;

use crate::Engine;
use rely_base::{Budget, Observer, StopReason};
use rely_evidence::{Claim, Proof, Reason};
use rely_horn::{Answer, solve_within};
use rely_program::{Goal, Program};
use rely_proof_rules::{NoClauses, ProofRule, ProofRuleOptions, Sight, proof_clauses};
use rely_symbolic::System;

/// The method as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwickiGries {
    /// Whether atomic blocks are summarised, loops included, instead of having assertions inside.
    pub summarising: bool,
    /// What it may do.
    pub limits: Limits,
    /// What the search for a model of the clauses may cost.
    pub horn: HornLimits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
}

impl Engine for OwickiGries {
    fn name(&self) -> &'static str {
        if self.summarising { "rule-safety" } else { "owicki-gries" }
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        let engine = self.name();
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return Claim::Unknown(Reason::UnsupportedGoal { engine, goal });
        }
        let system = match System::new(program, goal, self.symbolic, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason(engine)),
        };
        let has_locals = system.cells.all().any(|cell| system.cells.owner(cell).is_some());
        let steps = u32::try_from(self.limits.steps_without_locals).unwrap_or(u32::MAX);
        let at_first = if has_locals { budget.with_step_limit(steps) } else { budget.clone() };
        let first = self.attempt(&system, Sight::Places, &at_first, observer);
        match first {
            Err(_) if has_locals && budget.check_now().is_ok() => {
                self.attempt(&system, Sight::Everything, budget, observer)
            }
            decided => decided,
        }
        .unwrap_or_else(|failed| Claim::Unknown(failed.reason(engine, budget)))
    }
}

/// Why there is no claim.
enum Failed {
    /// The rule does not know something that the program uses.
    Unsupported(String),
    /// There is no proof and no run, for this reason.
    GaveUp(String),
    /// The budget has ended.
    Stopped(StopReason),
}

impl Failed {
    fn reason(self, engine: &'static str, budget: &Budget) -> Reason {
        match (budget.check_now(), self) {
            (Err(reason), _) | (_, Failed::Stopped(reason)) => Reason::Stopped(reason),
            (Ok(()), Failed::Unsupported(construct)) => Reason::UnsupportedConstruct { engine, construct },
            (Ok(()), Failed::GaveUp(why)) => Reason::GaveUp { engine, why },
        }
    }
}

impl From<NoClauses> for Failed {
    fn from(reason: NoClauses) -> Self {
        match reason {
            NoClauses::Stopped(reason) => Failed::Stopped(reason),
            NoClauses::Template(name) => {
                Failed::Unsupported(format!("any number of threads, as of `{name}`"))
            }
            NoClauses::Halts => Failed::Unsupported(
                "the end of the whole program together with properties of states".to_owned(),
            ),
            other => Failed::Unsupported(other.to_string()),
        }
    }
}

impl OwickiGries {
    /// A proof or a run by assertions that may speak of this.
    fn attempt(
        &self,
        system: &System<'_>,
        sight: Sight,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Claim, Failed> {
        let rule = if self.summarising { ProofRule::Reduction } else { ProofRule::OwickiGries };
        let options = ProofRuleOptions { rule, sight, limits: self.symbolic };
        let mut clauses = proof_clauses(system.program, system.goal, options, budget)?;
        let gave_up = |why: &str| Failed::GaveUp(why.to_owned());
        match solve_within(&self.horn, &mut clauses.pool, &clauses.system, None, budget, observer) {
            Answer::Sat(model) => {
                let proof = proof::written(system, &mut clauses, &model, self.limits, budget);
                proof.map(|proof| Claim::Safe(Proof::RelyGuarantee(proof))).map_err(gave_up)
            }
            Answer::Unsat(derivation) => {
                let run = run::described(system, &clauses, &derivation, budget);
                run.map(Claim::Unsafe).map_err(gave_up)
            }
            Answer::Unknown(why) => Err(Failed::GaveUp(format!("the clauses were not solved: {why}"))),
        }
    }
}

#[cfg(test)]
mod tests;
