//! The proof of one thread: the paper's proof generator and the local part of its verifier.
//!
//! * *Proof generator* (Algorithm 1, Fig. 5): new disjuncts are carried through the thread's own
//!   steps. A step is one atomic statement, or the test of an `if`, a `while` or an `await`; its image
//!   of a disjunct is the strongest postcondition (rules SKIP, ASSIGN, ATOM, AWAIT, IF). Where
//!   control flow meets, disjuncts are merged ([`Assertion::add`]: SEQ, DISJ, CONS), and that is also
//!   how invariants of loops come about (INV, WINV): by unions and widenings at the head.
//! * *Repairs are local*: what is missing in the middle of a proof is added there and carried on from
//!   there; statements before it are not looked at again. If it comes back to the head of a loop, the
//!   invariant grows.
//! * *Stability* (Algorithm 2, rules ST and RE): what a transition of the others makes of a disjunct,
//!   and the assertion does not contain, is a counterexample.

use super::assertion::{Assertion, Disjunct, DisjunctId, Growth, Names};
use super::guarantee::{Guarantee, admits, is_visible};
use super::interrupted::Interrupted;
use super::model::{Model, Step, StepId};
use super::region::{Reasoner, Region};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, VarId};
use rely_program::{ThreadId, ThreadKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The assertions of one thread, under repair.
#[derive(Debug)]
pub(super) struct LocalProof {
    pub(super) thread: ThreadId,
    pub(super) assertions: FxHashMap<ControlPoint, Assertion>,
    names: Names,
    /// Places whose assertions have disjuncts that were not carried on yet.
    changed: VecDeque<ControlPoint>,
    /// Steps of disjuncts that were taken.
    carried: FxHashSet<(DisjunctId, StepId)>,
    /// What each step guarantees, for each disjunct from which it starts.
    guarantees: FxHashMap<(StepId, DisjunctId), Option<Guarantee>>,
    /// Disjuncts that were confronted with a step of another thread from a disjunct. So the closure
    /// of the rely is computed incrementally: only what is new is composed with what is there.
    confronted: FxHashSet<(DisjunctId, StepId, DisjunctId)>,
    /// Images of disjuncts that were computed.
    pub(super) images: usize,
}

impl LocalProof {
    /// Nothing holds anywhere yet.
    pub(super) fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            assertions: FxHashMap::default(),
            names: Names::default(),
            changed: VecDeque::new(),
            carried: FxHashSet::default(),
            guarantees: FxHashMap::default(),
            confronted: FxHashSet::default(),
            images: 0,
        }
    }

    /// Adds states at a place, as far as the thread can speak of them; whether they are new.
    pub(super) fn add(
        &mut self,
        model: &Model<'_>,
        growth: &Growth,
        reasoner: &mut Reasoner,
        point: ControlPoint,
        region: &Region,
    ) -> bool {
        let hidden = self.hidden(model, region.constraints());
        let seen = if hidden.is_empty() {
            Some(region.clone())
        } else {
            reasoner.without(region.constraints().to_vec(), &hidden)
        };
        let Some(seen) = seen else { return false };
        let assertion = self.assertions.entry(point).or_default();
        let changed = assertion.add(reasoner, growth, &mut self.names, seen);
        if changed && !self.changed.contains(&point) {
            self.changed.push_back(point);
        }
        changed
    }

    /// The variables that the assertions do not mention: the locals of others.
    fn hidden(&self, model: &Model<'_>, constraints: &[Constraint]) -> Vec<VarId> {
        let used = constraints.iter().flat_map(|constraint| constraint.form().variables());
        let owner = |variable: &VarId| model.cells.owner(*variable);
        let mut hidden: Vec<VarId> =
            used.filter(|variable| owner(variable).is_some_and(|owner| owner != self.thread)).collect();
        hidden.sort_unstable();
        hidden.dedup();
        hidden
    }

    pub(super) fn disjuncts_at(&self, point: ControlPoint) -> &[Disjunct] {
        self.assertions.get(&point).map_or(&[], Assertion::disjuncts)
    }

    fn spend(&mut self, reasoner: &Reasoner, most_images: usize) -> Result<(), Interrupted> {
        reasoner.check_budget()?;
        self.images += 1;
        if self.images > most_images { Err(Interrupted::TooMuchWork) } else { Ok(()) }
    }

    /// Carries new disjuncts through the thread's own steps until nothing is new; then says what
    /// those steps guarantee.
    pub(super) fn construct(
        &mut self,
        model: &Model<'_>,
        growth: &Growth,
        reasoner: &mut Reasoner,
        most_images: usize,
    ) -> Result<(), Interrupted> {
        while let Some(point) = self.changed.pop_front() {
            let ControlPoint::At(location) = point else { continue };
            for &id in model.outgoing(location) {
                let step = &model.steps[id];
                for Disjunct { id: disjunct, region, .. } in self.disjuncts_at(point).to_vec() {
                    if !self.carried.insert((disjunct, id)) {
                        continue;
                    }
                    self.spend(reasoner, most_images)?;
                    if let Some(image) = step.transition.image(reasoner, &region) {
                        self.add(model, growth, reasoner, ControlPoint::At(step.target), &image);
                    }
                }
            }
        }
        self.update_guarantees(model, reasoner, most_images)
    }

    fn update_guarantees(
        &mut self,
        model: &Model<'_>,
        reasoner: &mut Reasoner,
        most_images: usize,
    ) -> Result<(), Interrupted> {
        for (id, step) in model.steps.iter() {
            if step.thread != self.thread || !is_visible(model, step) {
                continue;
            }
            for disjunct in self.disjuncts_at(ControlPoint::At(step.source)).to_vec() {
                if self.guarantees.contains_key(&(id, disjunct.id)) {
                    continue;
                }
                self.spend(reasoner, most_images)?;
                let started = |thread: ThreadId| step.started.contains(&thread);
                let is_hidden =
                    |variable: VarId| model.cells.owner(variable).is_some_and(|owner| !started(owner));
                let seen = step.transition.seen_from(reasoner, &disjunct.region, is_hidden);
                let guarantee =
                    seen.map(|transition| Guarantee { step: id, origin: disjunct.id, transition });
                self.guarantees.insert((id, disjunct.id), guarantee);
            }
        }
        Ok(())
    }

    /// What the steps from all current disjuncts look like to other threads.
    pub(super) fn current_guarantees<'l>(&'l self, model: &'l Model<'_>) -> Vec<&'l Guarantee> {
        let own = model.steps.iter().filter(|(_, step)| step.thread == self.thread);
        let from = own.flat_map(|(id, step)| {
            let disjuncts = self.disjuncts_at(ControlPoint::At(step.source)).iter();
            disjuncts.filter_map(move |from| self.guarantees.get(&(id, from.id))?.as_ref())
        });
        from.collect()
    }

    /// Confronts every assertion with the guarantees until it is closed under them; how many
    /// counterexamples there were.
    pub(super) fn verify(
        &mut self,
        model: &Model<'_>,
        growth: &Growth,
        reasoner: &mut Reasoner,
        guarantees: &[Guarantee],
        most_images: usize,
    ) -> Result<usize, Interrupted> {
        let mut points: Vec<ControlPoint> = self.assertions.keys().copied().collect();
        points.sort_unstable();
        let mut counterexamples = 0;
        for point in points {
            loop {
                let before = counterexamples;
                for guarantee in guarantees {
                    counterexamples +=
                        self.confront(model, growth, reasoner, point, guarantee, most_images)?;
                }
                if counterexamples == before {
                    break;
                }
            }
        }
        Ok(counterexamples)
    }

    /// What one transition of another thread makes of the disjuncts at a place.
    fn confront(
        &mut self,
        model: &Model<'_>,
        growth: &Growth,
        reasoner: &mut Reasoner,
        point: ControlPoint,
        guarantee: &Guarantee,
        most_images: usize,
    ) -> Result<usize, Interrupted> {
        let step = &model.steps[guarantee.step];
        if !self.is_disturbed_by(model, step)
            || model.is_atomic(point)
            || !admits(&step.places, self.thread, point)
        {
            return Ok(0);
        }
        let starts = point == ControlPoint::Unstarted && step.started.contains(&self.thread);
        let target =
            if starts { ControlPoint::At(model.program.threads()[self.thread].entry) } else { point };
        let mut counterexamples = 0;
        for Disjunct { id, region, .. } in self.disjuncts_at(point).to_vec() {
            if !starts && guarantee.transition.leaves_alone(&region) {
                continue;
            }
            if !self.confronted.insert((id, guarantee.step, guarantee.origin)) {
                continue;
            }
            self.spend(reasoner, most_images)?;
            let Some(image) = guarantee.transition.image(reasoner, &region) else { continue };
            counterexamples += usize::from(self.add(model, growth, reasoner, target, &image));
        }
        Ok(counterexamples)
    }

    /// A thread disturbs others; instances of one template disturb each other.
    fn is_disturbed_by(&self, model: &Model<'_>, step: &Step) -> bool {
        self.thread != step.thread || model.program.threads()[self.thread].kind == ThreadKind::Template
    }
}
