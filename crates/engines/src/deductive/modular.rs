//! The paper's method: proofs of the single threads, repaired until they survive each other.
//!
//! * *Proof generator* (Algorithm 1): new disjuncts are carried through the thread's own steps.
//!   Where they meet old ones they are merged ([`Assertion::add`]), so that the invariants of loops
//!   come out of unions and widenings; a repair in the middle of a proof touches only what follows.
//! * *Consistency verifier* (Algorithm 2): each assertion is confronted with the guarantees of the
//!   others. What a transition of theirs makes of a disjunct, and the assertion does not contain, is
//!   a counterexample, and starts the next repair.
//!
//! Where the paper approximates a rely by its closure and a transition by `P » Q`, we keep
//! transitions as relations between old and new values and apply them one at a time; the closure is
//! what the iteration computes. A pair of a disjunct and a transition is looked at once.

use super::assertion::{Assertion, Disjunct, DisjunctId, Growth, Names};
use super::consequence::modular_excludes_all;
use super::iteration::Iteration;
use super::model::{Model, Step, StepId};
use super::region::{Reasoner, Region};
use super::transition::Transition;
use crate::symbolic::PlaceTest;
use rely_base::StopReason;
use rely_evidence::rely_guarantee::Spot;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::{ThreadId, ThreadKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A thread at one of its spots.
pub(super) type Point = (ThreadId, Spot);

/// Why no stable proof was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// The budget is used up.
    Stopped(StopReason),
    /// More work than this attempt may do.
    TooMuchWork,
    /// The assertions allow something that must not happen, and they will not shrink.
    Offended,
}

impl From<StopReason> for Interrupted {
    fn from(reason: StopReason) -> Self {
        Interrupted::Stopped(reason)
    }
}

/// One transition of a guarantee: what a step from one disjunct looks like to the others.
#[derive(Clone, Debug)]
pub(super) struct Guarantee {
    pub(super) step: StepId,
    /// The disjunct of the acting thread's assertion from which it starts.
    origin: DisjunctId,
    pub(super) transition: Transition,
}

/// Assertions and guarantees under repair.
pub(super) struct Modular<'m, 'p> {
    model: &'m Model<'p>,
    growth: Growth,
    names: Names,
    pub(super) assertions: FxHashMap<Point, Assertion>,
    /// Points whose assertions have disjuncts that were not carried on yet.
    changed: VecDeque<Point>,
    /// Steps of disjuncts that were taken.
    carried: FxHashSet<(DisjunctId, StepId)>,
    /// What each step guarantees, for each disjunct from which it starts.
    guarantees: FxHashMap<(StepId, DisjunctId), Option<Guarantee>>,
    /// Disjuncts that were confronted with a step of another thread from a disjunct.
    confronted: FxHashSet<(DisjunctId, StepId, DisjunctId)>,
    images_left: usize,
    pub(super) iterations: Vec<Iteration>,
}

impl<'m, 'p> Modular<'m, 'p> {
    /// The threads before their first step.
    pub(super) fn new(model: &'m Model<'p>, growth: Growth, most_images: usize) -> Self {
        Self {
            model,
            growth,
            names: Names::default(),
            assertions: FxHashMap::default(),
            changed: VecDeque::new(),
            carried: FxHashSet::default(),
            guarantees: FxHashMap::default(),
            confronted: FxHashSet::default(),
            images_left: most_images,
            iterations: Vec::new(),
        }
    }

    /// Repairs until every assertion is stable; then together they exclude every offence.
    pub(super) fn run(&mut self, reasoner: &mut Reasoner<'_>) -> Result<(), Interrupted> {
        self.start(reasoner);
        loop {
            let questions = reasoner.questions();
            self.construct(reasoner)?;
            let counterexamples = self.verify(reasoner)?;
            let disjuncts = self.assertions.values().map(|assertion| assertion.disjuncts().len()).sum();
            self.iterations.push(Iteration {
                disjuncts,
                transitions: self.current_guarantees().len(),
                counterexamples,
                constraints: reasoner.questions() - questions,
            });
            if !modular_excludes_all(self.model, self, reasoner)? {
                return Err(Interrupted::Offended);
            }
            if counterexamples == 0 {
                return Ok(());
            }
        }
    }

    fn start(&mut self, reasoner: &mut Reasoner<'_>) {
        let threads: Vec<(ThreadId, Spot)> = self
            .model
            .program
            .threads()
            .ids()
            .filter_map(|id| Some((id, self.model.start_of(id)?)))
            .collect();
        for (thread, spot) in threads {
            for region in &self.model.initial {
                let hidden = self.hidden_from(thread, region.constraints());
                if let Some(seen) = reasoner.without(region.constraints().to_vec(), &hidden) {
                    self.add(reasoner, (thread, spot), seen);
                }
            }
        }
    }

    /// The variables that an assertion about a thread does not mention: the locals of others.
    fn hidden_from(&self, thread: ThreadId, constraints: &[Constraint]) -> Vec<VarId> {
        let owner = |variable: &VarId| self.model.cells.owner(*variable);
        let used = constraints.iter().flat_map(|constraint| constraint.form().variables());
        used.filter(|variable| owner(variable).is_some_and(|owner| owner != thread)).collect()
    }

    fn add(&mut self, reasoner: &mut Reasoner<'_>, point: Point, region: Region) -> bool {
        let assertion = self.assertions.entry(point).or_default();
        let changed = assertion.add(reasoner, &self.growth, &mut self.names, region);
        if changed && !self.changed.contains(&point) {
            self.changed.push_back(point);
        }
        changed
    }

    /// Carries new disjuncts through the steps of their own threads, until nothing is new.
    fn construct(&mut self, reasoner: &mut Reasoner<'_>) -> Result<(), Interrupted> {
        while let Some((thread, spot)) = self.changed.pop_front() {
            let Spot::At(location) = spot else { continue };
            for &id in self.model.outgoing(location) {
                let step = &self.model.steps[id];
                for Disjunct { id: disjunct, region, .. } in self.disjuncts_at((thread, spot)) {
                    if !self.carried.insert((disjunct, id)) {
                        continue;
                    }
                    self.spend(reasoner)?;
                    if let Some(image) = step.transition.image(reasoner, &region) {
                        let hidden = self.hidden_from(thread, image.constraints());
                        let seen = reasoner.without(image.constraints().to_vec(), &hidden);
                        if let Some(seen) = seen {
                            self.add(reasoner, (thread, Spot::At(step.target)), seen);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn disjuncts_at(&self, point: Point) -> Vec<Disjunct> {
        self.assertions.get(&point).map(|assertion| assertion.disjuncts().to_vec()).unwrap_or_default()
    }

    fn spend(&mut self, reasoner: &Reasoner<'_>) -> Result<(), Interrupted> {
        reasoner.check_budget()?;
        self.images_left = self.images_left.checked_sub(1).ok_or(Interrupted::TooMuchWork)?;
        Ok(())
    }

    /// What the steps from all current disjuncts look like to other threads.
    pub(super) fn current_guarantees(&self) -> Vec<&Guarantee> {
        let mut current = Vec::new();
        for (id, step) in self.model.steps.iter() {
            let Some(assertion) = self.assertions.get(&(step.thread, Spot::At(step.source))) else {
                continue;
            };
            let guarantees =
                assertion.disjuncts().iter().filter_map(|from| self.guarantees.get(&(id, from.id))?.as_ref());
            current.extend(guarantees);
        }
        current
    }

    fn update_guarantees(&mut self, reasoner: &mut Reasoner<'_>) -> Result<Vec<Guarantee>, Interrupted> {
        for (id, step) in self.model.steps.iter() {
            if !is_visible(self.model, step) {
                continue;
            }
            for disjunct in self.disjuncts_at((step.thread, Spot::At(step.source))) {
                if self.guarantees.contains_key(&(id, disjunct.id)) {
                    continue;
                }
                self.spend(reasoner)?;
                let started = |thread: ThreadId| step.started.contains(&thread);
                let cells = &self.model.cells;
                let is_hidden = |variable: VarId| cells.owner(variable).is_some_and(|owner| !started(owner));
                let seen = step.transition.seen_from(reasoner, &disjunct.region, is_hidden);
                let guarantee =
                    seen.map(|transition| Guarantee { step: id, origin: disjunct.id, transition });
                self.guarantees.insert((id, disjunct.id), guarantee);
            }
        }
        Ok(self.current_guarantees().into_iter().cloned().collect())
    }

    /// Confronts every assertion with the guarantees of the others; how many counterexamples
    /// there were.
    fn verify(&mut self, reasoner: &mut Reasoner<'_>) -> Result<usize, Interrupted> {
        let guarantees = self.update_guarantees(reasoner)?;
        let mut points: Vec<Point> = self.assertions.keys().copied().collect();
        points.sort_unstable();
        let mut counterexamples = self.spawn(reasoner)?;
        for point in points {
            for guarantee in &guarantees {
                counterexamples += self.confront(reasoner, point, guarantee)?;
            }
        }
        Ok(counterexamples)
    }

    /// What one transition of another thread makes of the disjuncts at a point.
    fn confront(
        &mut self,
        reasoner: &mut Reasoner<'_>,
        point: Point,
        guarantee: &Guarantee,
    ) -> Result<usize, Interrupted> {
        let (thread, spot) = point;
        let step = &self.model.steps[guarantee.step];
        let is_itself = thread == step.thread && !self.is_template(thread);
        if is_itself || self.model.is_atomic(spot) || !admits(&step.places, thread, spot) {
            return Ok(0);
        }
        let starts = spot == Spot::Unstarted && step.started.contains(&thread);
        let target = if starts { Spot::At(self.model.program.threads()[thread].entry) } else { spot };
        let mut counterexamples = 0;
        for Disjunct { id, region, .. } in self.disjuncts_at(point) {
            if !starts && guarantee.transition.leaves_alone(&region) {
                continue;
            }
            if !self.confronted.insert((id, guarantee.step, guarantee.origin)) {
                continue;
            }
            self.spend(reasoner)?;
            let Some(image) = guarantee.transition.image(reasoner, &region) else { continue };
            let hidden = self.hidden_from(thread, image.constraints());
            let Some(seen) = reasoner.without(image.constraints().to_vec(), &hidden) else { continue };
            counterexamples += usize::from(self.add(reasoner, (thread, target), seen));
        }
        Ok(counterexamples)
    }

    fn is_template(&self, thread: ThreadId) -> bool {
        self.model.program.threads()[thread].kind == ThreadKind::Template
    }

    /// Template instances start with what the spawning steps leave.
    fn spawn(&mut self, reasoner: &mut Reasoner<'_>) -> Result<usize, Interrupted> {
        let mut counterexamples = 0;
        for step in self.model.steps.values() {
            for (template, locals) in &step.spawned {
                for disjunct in self.disjuncts_at((step.thread, Spot::At(step.source))) {
                    self.spend(reasoner)?;
                    let entry = Spot::At(self.model.program.threads()[*template].entry);
                    if let Some(region) = self.newcomer(reasoner, step, locals, &disjunct.region) {
                        counterexamples += usize::from(self.add(reasoner, (*template, entry), region));
                    }
                }
            }
        }
        Ok(counterexamples)
    }

    /// What a new template instance knows: the globals after the step that starts it, and its locals.
    fn newcomer(
        &self,
        reasoner: &mut Reasoner<'_>,
        step: &Step,
        locals: &[(VarId, LinearForm)],
        region: &Region,
    ) -> Option<Region> {
        let cells = &self.model.cells;
        let mut constraints: Vec<Constraint> =
            region.constraints().iter().chain(&step.transition.constraints).cloned().collect();
        for (cell, value) in locals {
            let own = LinearForm::variable(cells.foreign(*cell));
            constraints.push(Constraint::eq(&own, value));
        }
        // What is kept, and what it is called from now on.
        let mut kept: Vec<(VarId, VarId)> =
            locals.iter().map(|(cell, _)| (cells.foreign(*cell), *cell)).collect();
        for cell in cells.all().filter(|&cell| cells.owner(cell).is_none()) {
            let written = step.transition.written.iter().find(|(before, _)| *before == cell);
            kept.push((written.map_or(cell, |(_, after)| *after), cell));
        }
        let new_name = |variable: VarId| kept.iter().find(|(old, _)| *old == variable).map(|(_, new)| *new);
        let used = constraints.iter().flat_map(|constraint| constraint.form().variables());
        let mut eliminate: Vec<VarId> = used.filter(|variable| new_name(*variable).is_none()).collect();
        eliminate.sort_unstable();
        eliminate.dedup();
        let rest = reasoner.without(constraints, &eliminate)?;
        let renamed = rest.constraints().iter().map(|held| held.rename(|v| new_name(v).unwrap_or(v)));
        reasoner.region(renamed.collect())
    }
}

/// Whether other threads can notice a step.
pub(super) fn is_visible(model: &Model<'_>, step: &Step) -> bool {
    let writes_global =
        step.transition.written.iter().any(|(before, _)| model.cells.owner(*before).is_none());
    writes_global || !step.started.is_empty() || !step.spawned.is_empty()
}

/// Whether a thread at a spot is where the tests want it, as far as they speak of it.
pub(super) fn admits(places: &[PlaceTest], thread: ThreadId, spot: Spot) -> bool {
    places.iter().all(|test| test.thread != thread || test.spots.contains(&spot))
}
