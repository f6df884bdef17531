//! The loop of the method: grow the trees, look at what went wrong, track more.

use super::abstraction::Abstraction;
use super::decide::Decider;
use super::refine::{Discovery, Refinement, refine_generally, refine_modularly, suggested_run};
use super::seeds::Seeds;
use super::system::System;
use super::tree::{Counterexample, Interrupted, Trees};
use super::twins::Twins;
use super::{Bias, Scout, gave_up, history, proof};
use rely_base::{Budget, Observer, Progress};
use rely_evidence::{Claim, Proof, Reason};

/// One attempt, with what it tracks so far.
pub(super) struct Attempt<'a> {
    bias: Bias,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    system: &'a System<'a>,
    seeds: &'a Seeds,
    twins: &'a Twins,
    abstraction: Abstraction,
    decider: Decider<'a>,
    iterations: u64,
}

/// Named counts for reports.
type Counts = Vec<(&'static str, u64)>;

impl<'a> Attempt<'a> {
    pub(super) fn new(
        bias: Bias,
        (system, seeds, twins): (&'a System<'a>, &'a Seeds, &'a Twins),
        budget: &'a Budget,
        observer: &'a dyn Observer,
    ) -> Self {
        let (abstraction, decider) = (Abstraction::new(system), Decider::new(system, budget));
        Attempt { bias, budget, observer, system, seeds, twins, abstraction, decider, iterations: 0 }
    }

    /// Refines until something is known; `None` if the trees become too large before.
    pub(super) fn advance(&mut self, most_nodes: usize, scout: &mut Scout<'_>) -> Option<Claim> {
        loop {
            let mut trees = Trees::new(self.system, &self.abstraction, &mut self.decider, self.budget);
            let mut grown = trees.grow(most_nodes.min(scout.next));
            while matches!(grown, Err(Interrupted::TooLarge)) && scout.next < most_nodes {
                if let Some(trace) = scout.look() {
                    return Some(Claim::Unsafe(trace));
                }
                grown = trees.grow(most_nodes.min(scout.next));
            }
            let counts = vec![
                ("iterations", self.iterations),
                ("predicates", self.abstraction.predicate_count() as u64),
                ("nodes", trees.nodes.len() as u64),
            ];
            self.observer.progress(&Progress { activity: "refining", counts: counts.clone() });
            let refined = match grown {
                Ok(()) => {
                    tell_end(self.observer, &trees, &self.abstraction, counts);
                    return Some(claim(&mut trees, &self.abstraction, self.budget));
                }
                Err(Interrupted::Stopped(reason)) => return Some(Claim::Unknown(Reason::Stopped(reason))),
                Err(Interrupted::TooLarge) => return None,
                Err(Interrupted::Counterexample(counterexample)) => {
                    let spurious = Spurious { trees: &trees, counterexample, seeds: self.seeds };
                    spurious.refine(&self.abstraction, self.bias, self.budget)
                }
            };
            match refined {
                Ok((discoveries, bias)) => {
                    self.bias = bias;
                    self.track(discoveries, counts);
                }
                Err(claim) => return Some(claim),
            }
        }
    }

    /// Whether clauses without a solution have shown that there is no modular proof.
    #[cfg(test)]
    pub(super) fn excludes_modular_proofs(&self) -> bool {
        self.bias == Bias::None
    }

    #[cfg(test)]
    pub(super) fn into_abstraction(self) -> Abstraction {
        self.abstraction
    }

    fn track(&mut self, discoveries: Vec<Discovery>, counts: Counts) {
        let discoveries = self.twins.with_twins(discoveries);
        let is_new = |discovery: &Discovery| discovery.apply(&mut self.abstraction);
        let discoveries: Vec<Discovery> = discoveries.into_iter().filter(is_new).collect();
        debug_assert!(!discoveries.is_empty(), "every refinement makes the abstraction finer");
        if self.observer.wants_history() {
            self.observer.round(history::round(self.system, counts, &discoveries));
        }
        self.iterations += 1;
    }
}

/// Tells the last round, in which nothing was wrong.
fn tell_end(observer: &dyn Observer, trees: &Trees<'_, '_>, abstraction: &Abstraction, counts: Counts) {
    if observer.wants_history() {
        observer.round(history::last_round(counts));
        observer.trees(history::trees(trees, abstraction));
    }
}

/// What complete trees prove.
fn claim(trees: &mut Trees<'_, '_>, abstraction: &Abstraction, budget: &Budget) -> Claim {
    match proof::assemble(trees, abstraction, budget) {
        Some(proof) => Claim::Safe(Proof::RelyGuarantee(proof)),
        None => gave_up("the proof needs numbers that are too large"),
    }
}

/// A counterexample in its trees.
struct Spurious<'s, 't, 'a> {
    trees: &'s Trees<'t, 'a>,
    counterexample: Counterexample,
    seeds: &'s Seeds,
}

impl Spurious<'_, '_, '_> {
    /// What to track so that the counterexample does not come back, and what to look for then; or
    /// what can be claimed, if it is a run.
    fn refine(
        &self,
        abstraction: &Abstraction,
        mut bias: Bias,
        budget: &Budget,
    ) -> Result<(Vec<Discovery>, Bias), Claim> {
        if let Some(trace) = suggested_run(self.trees, &self.counterexample, self.seeds, budget) {
            return Err(Claim::Unsafe(trace));
        }
        let mut undecided = None;
        let ways = match bias {
            Bias::Modular => [refine_modularly, refine_generally],
            Bias::None => [refine_generally, refine_modularly],
        };
        for way in ways {
            match way(self.trees, &self.counterexample, self.seeds, budget) {
                Refinement::Track(found) => {
                    let is_new = |discovery: &Discovery| !abstraction.has(discovery);
                    let new: Vec<Discovery> = found.into_iter().filter(is_new).collect();
                    if !new.is_empty() {
                        return Ok((new, bias));
                    }
                }
                Refinement::Violation(trace) => return Err(Claim::Unsafe(trace)),
                Refinement::Undecided(why) => undecided = Some(why),
                // The clauses hold in every modular proof, so there is none: no use to try again.
                Refinement::Impossible => bias = Bias::None,
                Refinement::Nothing => {}
                Refinement::Stopped(reason) => return Err(Claim::Unknown(Reason::Stopped(reason))),
            }
        }
        Err(gave_up(undecided.unwrap_or("no predicates were found that exclude a counterexample")))
    }
}
