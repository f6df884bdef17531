//! The loop of the method: grow the trees, look at what went wrong, track more.

use super::abstraction::Abstraction;
use super::decide::Decider;
use super::excluded::Excluded;
use super::refine::{
    Discovery, Found, Refinement, refine_generally, refine_modularly, refine_without_schedule, suggested_run,
};
use super::seeds::Seeds;
use super::signed::signed;
use super::system::System;
use super::tree::{Counterexample, Derivation, Interrupted, Trees};
use super::twins::Twins;
use super::{Bias, Scout, gave_up, history, proof};
use rely_base::{Budget, Observer, Progress};
use rely_evidence::counting::Counting;
use rely_evidence::{Claim, Proof, Reason};
use rely_logic::VarId;

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
    excluded: Excluded,
    iterations: u64,
}

/// Derivations with more nodes than this are not kept.
const MOST_NODES_KEPT: usize = 400;
/// While trees have fewer nodes than this, places cost less than to find those of them again that
/// are needed after all.
const NODES_WORTH_FEWER_PLACES: usize = 800;

/// If there are so many predicates about a cell, one more of them is unlikely to help.
const PREDICATES_THAT_SHOULD_DO: usize = 8;
/// For each of so many nodes that the trees may have, refinement may stall once before the other attempt
/// has its turn.
const NODES_PER_STALL: usize = 300;

/// Named counts for reports.
type Counts = Vec<(&'static str, u64)>;

impl<'a> Attempt<'a> {
    pub(super) fn new(
        bias: Bias,
        (system, seeds, twins): (&'a System<'a>, &'a Seeds, &'a Twins),
        budget: &'a Budget,
        observer: &'a dyn Observer,
    ) -> Self {
        let (mut abstraction, decider) = (Abstraction::new(system), Decider::new(system, budget));
        signed(system).iter().for_each(|tracked| {
            tracked.apply(&mut abstraction);
        });
        let (excluded, iterations) = (Excluded::default(), 0);
        Attempt { bias, budget, observer, system, seeds, twins, abstraction, decider, excluded, iterations }
    }

    /// Refines until something is known; `None` if the trees become too large before, or nothing seems to
    /// come out of it.
    pub(super) fn advance(&mut self, most_nodes: usize, scout: &mut Scout<'_>) -> Option<Claim> {
        let mut patience = most_nodes / NODES_PER_STALL;
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
                Err(Interrupted::TooLarge) => {
                    if self.track_where_needed(counts) {
                        continue;
                    }
                    return None;
                }
                Err(Interrupted::Counterexample(counterexample)) => {
                    let spurious = Spurious { trees: &trees, counterexample, seeds: self.seeds };
                    spurious.refine(&self.abstraction, self.bias, self.budget)
                }
            };
            match refined {
                Ok(refined) => {
                    let nodes = trees.nodes.len();
                    let has_stalled = self.has_stalled(&refined.found);
                    self.track(refined, counts, nodes);
                    if has_stalled {
                        patience = patience.checked_sub(1)?;
                    }
                }
                // What nothing excludes may be a run.
                Err(Claim::Unknown(reason @ Reason::GaveUp { .. })) => {
                    return Some(scout.look().map_or(Claim::Unknown(reason), Claim::Unsafe));
                }
                Err(claim) => return Some(claim),
            }
        }
    }

    /// Whether nothing was found but one more predicate about cells of which there are many already, as
    /// when a loop is run once more each time.
    fn has_stalled(&self, found: &Found) -> bool {
        let is_one_of_many =
            |cell: VarId| self.abstraction.predicates_about(cell) >= PREDICATES_THAT_SHOULD_DO;
        found.discoveries.iter().all(|discovery| match discovery {
            Discovery::Predicate { constraint, .. } => {
                self.abstraction.has(discovery) || constraint.form().variables().all(is_one_of_many)
            }
            Discovery::Place { .. } | Discovery::Count(_) => false,
        })
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

    fn track(&mut self, refined: Refined, counts: Counts, nodes: usize) {
        let mut discoveries = self.twins.with_twins(refined.found.discoveries);
        if self.abstraction.tracks_where_needed() {
            let before: Vec<Discovery> = discoveries.iter().flat_map(|one| self.on_the_way(one)).collect();
            discoveries.extend(before);
        }
        self.excluded.add(refined.derivation, &discoveries, refined.found.is_final);
        let is_new = |discovery: &Discovery| discovery.apply(&mut self.abstraction);
        let discoveries: Vec<Discovery> = discoveries.into_iter().filter(is_new).collect();
        debug_assert!(!discoveries.is_empty(), "every refinement makes the abstraction finer");
        let has_predicates = discoveries.iter().any(|discovery| !discovery.is_place());
        let forgets = nodes >= NODES_WORTH_FEWER_PLACES && has_predicates && self.forget_places();
        if self.observer.wants_history() {
            let round = history::round(self.system, &self.abstraction, counts, &discoveries, forgets);
            self.observer.round(round);
        }
        self.iterations += 1;
        self.bias = refined.bias;
    }

    /// From now on, predicates are tracked only where they are needed; says whether that is new.
    fn track_where_needed(&mut self, counts: Counts) -> bool {
        let is_new = self.abstraction.track_where_needed();
        if is_new {
            self.excluded.unsettle();
            if self.observer.wants_history() {
                self.observer.round(history::narrowing(counts));
            }
        }
        is_new
    }

    /// The same predicate at the spots through which its thread comes to where it was found: as many
    /// as it is tracked at already. Who needs it at one spot of a way needs it at the one before
    /// next, and each question costs new trees.
    fn on_the_way(&self, discovery: &Discovery) -> Vec<Discovery> {
        let Discovery::Predicate { thread, spot, constraint } = discovery else { return Vec::new() };
        if self.abstraction.has(discovery) {
            return Vec::new();
        }
        let most = self.abstraction.count_needed(*thread, constraint);
        let way = self.system.way_to(*thread, &[*spot], most, None).into_iter();
        way.map(|spot| Discovery::Predicate { thread: *thread, spot, constraint: constraint.clone() })
            .collect()
    }

    /// Tells places apart no longer that are not needed against any counterexample so far; says
    /// whether there are such.
    fn forget_places(&mut self) -> bool {
        let (system, abstraction, budget) = (self.system, &self.abstraction, self.budget);
        let coarser = self.excluded.with_fewer_places(system, abstraction, &mut self.decider, budget);
        coarser.map(|coarser| self.abstraction = coarser).is_some()
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
        Some(proof) if !abstraction.counted().is_empty() => {
            let system = trees.system();
            let invariants = system.census.invariants(abstraction.counted(), system);
            Claim::Safe(Proof::Counting(Counting { invariants, proof }))
        }
        Some(proof) => Claim::Safe(Proof::RelyGuarantee(proof)),
        None => gave_up("the proof needs numbers that are too large"),
    }
}

/// What excludes a counterexample.
struct Refined {
    found: Found,
    /// What to look for from now on.
    bias: Bias,
    derivation: Option<Derivation>,
}

/// A counterexample in its trees.
struct Spurious<'s, 't, 'a> {
    trees: &'s Trees<'t, 'a>,
    counterexample: Counterexample,
    seeds: &'s Seeds,
}

impl Spurious<'_, '_, '_> {
    /// What to track so that the counterexample does not come back, or what can be claimed if it is
    /// a run.
    fn refine(&self, abstraction: &Abstraction, mut bias: Bias, budget: &Budget) -> Result<Refined, Claim> {
        if let Some(trace) = suggested_run(self.trees, &self.counterexample, self.seeds, budget) {
            return Err(Claim::Unsafe(trace));
        }
        let mut undecided = None;
        let ways = match bias {
            Bias::Modular => [refine_modularly, refine_generally, refine_without_schedule],
            Bias::None => [refine_generally, refine_modularly, refine_without_schedule],
        };
        for way in ways {
            match way(self.trees, &self.counterexample, self.seeds, budget) {
                Refinement::Track(found) => {
                    if found.discoveries.iter().any(|discovery| !abstraction.has(discovery)) {
                        let derivation = Derivation::new(self.trees, &self.counterexample, MOST_NODES_KEPT);
                        return Ok(Refined { found, bias, derivation });
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
