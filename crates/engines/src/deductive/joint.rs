//! The proof with auxiliary variables: where everybody stands, and everybody's locals.
//!
//! Rule AU of the paper adds variables that record what a thread has done. Program counters are the
//! standard ones: with them, assertions can say how often `x := x + 1` has happened. Here each
//! combination of places has an assertion of its own, over all variables. It is still a proof by
//! assertions that are repaired until they are stable; there is only nothing left to hide.

use super::assertion::{Assertion, Disjunct, DisjunctId, Growth, Names};
use super::consequence::joint_excludes_all;
use super::iteration::Iteration;
use super::model::{Model, Step, StepId};
use super::modular::{Interrupted, admits};
use super::region::{Reasoner, Region};
use rely_base::Arena;
use rely_evidence::rely_guarantee::Spot;
use rely_program::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Where each thread is.
pub(super) type Places = Arena<ThreadId, Spot>;

/// Assertions for combinations of places.
pub(super) struct Joint<'m, 'p> {
    model: &'m Model<'p>,
    growth: Growth,
    names: Names,
    /// The combinations, in the order in which they were reached.
    pub(super) assertions: Vec<(Places, Assertion)>,
    known: FxHashMap<Vec<Spot>, usize>,
    changed: VecDeque<usize>,
    carried: FxHashSet<(DisjunctId, StepId)>,
    images_left: usize,
    pub(super) iterations: Vec<Iteration>,
}

impl<'m, 'p> Joint<'m, 'p> {
    /// Nothing is reached yet. Threads without a bound on their number are too much work.
    pub(super) fn new(model: &'m Model<'p>, growth: Growth, most_images: usize) -> Self {
        Self {
            model,
            growth,
            names: Names::default(),
            assertions: Vec::new(),
            known: FxHashMap::default(),
            changed: VecDeque::new(),
            carried: FxHashSet::default(),
            images_left: most_images,
            iterations: Vec::new(),
        }
    }

    /// Repairs until every assertion is stable; then each excludes every offence.
    pub(super) fn run(&mut self, reasoner: &mut Reasoner<'_>) -> Result<(), Interrupted> {
        let threads = self.model.program.threads().ids();
        let start: Option<Vec<Spot>> = threads.map(|thread| self.model.start_of(thread)).collect();
        let Some(start) = start else { return Err(Interrupted::TooMuchWork) };
        let start: Places = start.into_iter().collect();
        for region in &self.model.initial {
            self.add(reasoner, &start, region.clone());
        }
        while !self.changed.is_empty() {
            let questions = reasoner.questions();
            let round = std::mem::take(&mut self.changed);
            let mut counterexamples = 0;
            for index in round {
                let (places, assertion) = &self.assertions[index];
                if !joint_excludes_all(self.model, places, assertion, reasoner) {
                    return Err(Interrupted::Offended);
                }
                counterexamples += self.carry_on(reasoner, index)?;
            }
            let disjuncts = self.assertions.iter().map(|(_, assertion)| assertion.disjuncts().len()).sum();
            let constraints = reasoner.questions() - questions;
            let transitions = self.model.steps.len();
            self.iterations.push(Iteration { disjuncts, transitions, counterexamples, constraints });
        }
        Ok(())
    }

    fn add(&mut self, reasoner: &mut Reasoner<'_>, places: &Places, region: Region) -> bool {
        let key: Vec<Spot> = places.values().copied().collect();
        let index = *self.known.entry(key).or_insert_with(|| {
            self.assertions.push((places.clone(), Assertion::default()));
            self.assertions.len() - 1
        });
        let assertion = &mut self.assertions[index].1;
        let changed = assertion.add(reasoner, &self.growth, &mut self.names, region);
        if changed && !self.changed.contains(&index) {
            self.changed.push_back(index);
        }
        changed
    }

    /// Carries the new disjuncts at one combination of places through all steps from there.
    fn carry_on(&mut self, reasoner: &mut Reasoner<'_>, index: usize) -> Result<usize, Interrupted> {
        let (places, assertion) = self.assertions[index].clone();
        let mut found = 0;
        for &spot in places.values() {
            let Spot::At(location) = spot else { continue };
            for &id in self.model.outgoing(location) {
                let step = &self.model.steps[id];
                if !self.may_take(&places, step) {
                    continue;
                }
                let target = self.after(&places, step);
                for Disjunct { id: disjunct, region, .. } in assertion.disjuncts() {
                    if !self.carried.insert((*disjunct, id)) {
                        continue;
                    }
                    reasoner.check_budget()?;
                    self.images_left = self.images_left.checked_sub(1).ok_or(Interrupted::TooMuchWork)?;
                    if let Some(image) = image(reasoner, step, region) {
                        found += usize::from(self.add(reasoner, &target, image));
                    }
                }
            }
        }
        Ok(found)
    }

    /// The combinations of places, and the regions there, from which a step can be taken.
    pub(super) fn origins<'j>(&'j self, step: &'j Step) -> impl Iterator<Item = (&'j Places, &'j Region)> {
        let from = self.assertions.iter().filter(|(places, _)| {
            places[step.thread] == Spot::At(step.source) && self.may_take(places, step)
        });
        from.flat_map(|(places, assertion)| assertion.regions().map(move |region| (places, region)))
    }

    fn may_take(&self, places: &Places, step: &Step) -> bool {
        self.may_move(places, step.thread)
            && places.iter().all(|(other, &spot)| admits(&step.places, other, spot))
    }

    /// Nobody moves while another thread is inside an atomic block.
    fn may_move(&self, places: &Places, thread: ThreadId) -> bool {
        places.iter().all(|(other, &spot)| other == thread || !self.model.is_atomic(spot))
    }

    fn after(&self, places: &Places, step: &Step) -> Places {
        let mut target = places.clone();
        target[step.thread] = Spot::At(step.target);
        for &started in &step.started {
            target[started] = Spot::At(self.model.program.threads()[started].entry);
        }
        target
    }
}

/// The states after a step; if it divides, in the way in which the proof describes it to others.
fn image(reasoner: &mut Reasoner<'_>, step: &Step, region: &Region) -> Option<Region> {
    if !step.transition.has_remainders() {
        return step.transition.image(reasoner, region);
    }
    step.transition.seen_from(reasoner, region, |_| false)?.image(reasoner, region)
}
