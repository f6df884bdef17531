//! The loop of the method: grow the trees, look at what went wrong, track more.

use super::candidates::Candidates;
use super::candidates::auxiliary::auxiliary_predicates;
use super::precision::symmetry::Symmetries;
use super::precision::{Precision, PrecisionIncrement};
use super::reach::decide::Decider;
use super::reach::{Counterexample, Derivation, Interrupted, Trees};
use super::refine::excluded::Excluded;
use super::refine::{
    Found, Refinement, refine_generally, refine_modularly, refine_without_schedule, suggested_run,
};
use super::{Bias, Falsifier, extract, gave_up, history};
use rely_base::{Budget, Observer, Progress};
use rely_evidence::counting::Counting;
use rely_evidence::{Claim, Proof, Reason};
use rely_logic::VarId;
use rely_symbolic::System;

/// One attempt at a proof, with what it tracks so far.
pub struct Attempt<'a> {
    bias: Bias,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    system: &'a System<'a>,
    candidates: &'a Candidates,
    symmetries: &'a Symmetries,
    precision: Precision,
    decider: Decider<'a>,
    excluded: Excluded,
    iterations: u64,
}

/// Named counts for reports.
type Counts = Vec<(&'static str, u64)>;

impl<'a> Attempt<'a> {
    pub(crate) fn new(
        bias: Bias,
        (system, candidates, symmetries): (&'a System<'a>, &'a Candidates, &'a Symmetries),
        budget: &'a Budget,
        observer: &'a dyn Observer,
    ) -> Self {
        let (mut precision, decider) =
            (Precision::new(system), Decider::new(system, candidates.limits, budget));
        auxiliary_predicates(system).iter().for_each(|tracked| {
            tracked.apply(&mut precision);
        });
        let (excluded, iterations) = (Excluded::default(), 0);
        Attempt {
            bias,
            budget,
            observer,
            system,
            candidates,
            symmetries,
            precision,
            decider,
            excluded,
            iterations,
        }
    }

    /// Refines until something is known; `None` if the trees become too large before, or nothing seems to
    /// come out of it. Both are no reason to stop for good: it goes on where it was.
    pub fn advance(&mut self, most_nodes: usize, falsifier: &mut dyn Falsifier) -> Option<Claim> {
        let mut patience = most_nodes / self.candidates.limits.nodes_per_stall.max(1);
        loop {
            let mut trees = Trees::new(self.system, &self.precision, &mut self.decider, self.budget);
            let mut grown = trees.grow(most_nodes.min(falsifier.due()));
            while matches!(grown, Err(Interrupted::TooLarge)) && falsifier.due() < most_nodes {
                if let Some(trace) = falsifier.look() {
                    return Some(Claim::Unsafe(trace));
                }
                grown = trees.grow(most_nodes.min(falsifier.due()));
            }
            let counts = vec![
                ("iterations", self.iterations),
                ("predicates", self.precision.predicate_count() as u64),
                ("nodes", trees.nodes.len() as u64),
            ];
            self.observer.progress(&Progress { activity: "refining", counts: counts.clone() });
            let refined = match grown {
                Ok(()) => {
                    tell_end(self.observer, &trees, &self.precision, counts);
                    return Some(claim(&mut trees, &self.precision, self.budget));
                }
                Err(Interrupted::Stopped(reason)) => return Some(Claim::Unknown(Reason::Stopped(reason))),
                Err(Interrupted::TooLarge) => {
                    if self.track_where_needed(counts) {
                        continue;
                    }
                    return None;
                }
                Err(Interrupted::Counterexample(counterexample)) => {
                    let spurious = Spurious { trees: &trees, counterexample, candidates: self.candidates };
                    spurious.refine(&self.precision, self.bias, self.budget)
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
                Err(claim) => match *claim {
                    // What nothing excludes may be a run.
                    Claim::Unknown(reason @ Reason::GaveUp { .. }) => {
                        return Some(falsifier.look().map_or(Claim::Unknown(reason), Claim::Unsafe));
                    }
                    claim => return Some(claim),
                },
            }
        }
    }

    /// Whether nothing was found but one more predicate about cells of which there are many already, as
    /// when a loop is run once more each time.
    fn has_stalled(&self, found: &Found) -> bool {
        let is_one_of_many = |cell: VarId| {
            self.precision.predicates_about(cell) >= self.candidates.limits.predicates_before_stall
        };
        found.increments.iter().all(|increment| match increment {
            PrecisionIncrement::Predicate { constraint, .. } => {
                self.precision.has(increment) || constraint.form().variables().all(is_one_of_many)
            }
            PrecisionIncrement::Place { .. } | PrecisionIncrement::Count(_) => false,
        })
    }

    /// Whether clauses without a solution have shown that there is no modular proof.
    #[cfg(test)]
    pub(crate) fn excludes_modular_proofs(&self) -> bool {
        self.bias == Bias::None
    }

    #[cfg(test)]
    pub(crate) fn into_precision(self) -> Precision {
        self.precision
    }

    fn track(&mut self, refined: Refined, counts: Counts, nodes: usize) {
        let mut increments = self
            .symmetries
            .with_symmetric(refined.found.increments, self.candidates.limits.symmetric_increments);
        if self.precision.tracks_where_needed() {
            let before: Vec<PrecisionIncrement> =
                increments.iter().flat_map(|one| self.on_the_way(one)).collect();
            increments.extend(before);
        }
        self.excluded.add(refined.derivation, &increments);
        let is_new = |increment: &PrecisionIncrement| increment.apply(&mut self.precision);
        let increments: Vec<PrecisionIncrement> = increments.into_iter().filter(is_new).collect();
        debug_assert!(!increments.is_empty(), "every refinement makes the precision finer");
        let has_predicates = increments.iter().any(|increment| !increment.is_place());
        let forgets = nodes >= self.candidates.limits.nodes_worth_fewer_places
            && has_predicates
            && self.forget_places();
        if self.observer.wants_history() {
            let round = history::round(self.system, &self.precision, counts, &increments, forgets);
            self.observer.round(round);
        }
        self.iterations += 1;
        self.bias = refined.bias;
    }

    /// From now on, predicates are tracked only where they are needed; says whether that is new.
    fn track_where_needed(&mut self, counts: Counts) -> bool {
        let is_new = self.precision.track_where_needed();
        if is_new {
            self.excluded.unsettle();
            if self.observer.wants_history() {
                self.observer.round(history::narrowing(counts));
            }
        }
        is_new
    }

    /// The same predicate at the control points through which its thread comes to where it was found: as many
    /// as it is tracked at already. Who needs it at one control point of a way needs it at the one before
    /// next, and each question costs new trees.
    fn on_the_way(&self, increment: &PrecisionIncrement) -> Vec<PrecisionIncrement> {
        let PrecisionIncrement::Predicate { thread, point, constraint } = increment else {
            return Vec::new();
        };
        if self.precision.has(increment) {
            return Vec::new();
        }
        let most = self.precision.count_needed(*thread, constraint);
        let way = self.system.way_to(*thread, &[*point], most, None).into_iter();
        way.map(|point| PrecisionIncrement::Predicate {
            thread: *thread,
            point,
            constraint: constraint.clone(),
        })
        .collect()
    }

    /// Tells places apart no longer that are not needed against any counterexample so far; says
    /// whether there are such.
    fn forget_places(&mut self) -> bool {
        let (system, precision, budget) = (self.system, &self.precision, self.budget);
        let coarser = self.excluded.with_fewer_places(system, precision, &mut self.decider, budget);
        coarser.map(|coarser| self.precision = coarser).is_some()
    }
}

/// Tells the last round, in which nothing was wrong.
fn tell_end(observer: &dyn Observer, trees: &Trees<'_, '_>, precision: &Precision, counts: Counts) {
    if observer.wants_history() {
        observer.round(history::last_round(counts));
        observer.trees(history::trees(trees, precision));
    }
}

/// What complete trees prove.
fn claim(trees: &mut Trees<'_, '_>, precision: &Precision, budget: &Budget) -> Claim {
    match extract::assemble(trees, precision, budget) {
        Some(proof) if !precision.counted().is_empty() => {
            let system = trees.system();
            let invariants = system.counting.invariants(precision.counted(), system);
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
    candidates: &'s Candidates,
}

impl Spurious<'_, '_, '_> {
    /// What to track so that the counterexample does not come back, or what can be claimed if it is
    /// a run.
    fn refine(&self, precision: &Precision, mut bias: Bias, budget: &Budget) -> Result<Refined, Box<Claim>> {
        if let Some(trace) = suggested_run(self.trees, &self.counterexample, self.candidates, budget) {
            return Err(Box::new(Claim::Unsafe(trace)));
        }
        let mut undecided = None;
        let ways = match bias {
            Bias::Modular => [refine_modularly, refine_generally, refine_without_schedule],
            Bias::None => [refine_generally, refine_modularly, refine_without_schedule],
        };
        for way in ways {
            match way(self.trees, &self.counterexample, self.candidates, budget) {
                Refinement::Track(found) => {
                    if found.increments.iter().any(|increment| !precision.has(increment)) {
                        let derivation = Derivation::new(
                            self.trees,
                            &self.counterexample,
                            self.candidates.limits.nodes_kept,
                        );
                        return Ok(Refined { found, bias, derivation });
                    }
                }
                Refinement::Violation(trace) => return Err(Box::new(Claim::Unsafe(trace))),
                Refinement::Undecided(why) => undecided = Some(why),
                // The clauses hold in every modular proof, so there is none: no use to try again.
                Refinement::Impossible => bias = Bias::None,
                Refinement::Nothing => {}
                Refinement::Stopped(reason) => return Err(Box::new(Claim::Unknown(Reason::Stopped(reason)))),
            }
        }
        let why = undecided.unwrap_or("no predicates were found that exclude a counterexample");
        Err(Box::new(gave_up(why)))
    }
}
