//! The paper's method: proofs of the single threads, repaired until they survive each other (Fig. 1).
//!
//! In each iteration the proof of each thread is completed ([`LocalProof::construct`]), the relies
//! are put together from the guarantees, and each thread's assertions are confronted with its rely
//! ([`LocalProof::verify`]). Both halves are done for all threads at the same time; of threads that
//! can be exchanged only one is worked on.
//!
//! Where the paper approximates a rely by its closure (Algorithm 3) and a transition by `P » Q`, we
//! keep transitions as relations between old and new values and apply them one at a time; the
//! closure is what the iteration computes, and no pair of a disjunct and a transition is looked at
//! twice.

use super::assertion::{Assertion, Growth};
use super::consequence::modular_excludes_all;
use super::guarantee::{Guarantee, Point};
use super::interrupted::Interrupted;
use super::iteration::Iteration;
use super::local::LocalProof;
use super::model::{Model, Step};
use super::region::{Reasoner, Region};
use super::symmetry::Symmetry;
use super::team::Team;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::ThreadId;
use rustc_hash::FxHashMap;

/// Assertions and guarantees under repair.
pub(super) struct Modular<'m, 'p> {
    model: &'m Model<'p>,
    growth: Growth,
    /// The proofs that are worked on.
    proofs: Vec<LocalProof>,
    /// Threads whose proofs are those of earlier ones, renamed: the exchange and the earlier one.
    copies: Vec<(ThreadId, &'m Symmetry, ThreadId)>,
    /// What holds where, of all threads, after the last iteration.
    pub(super) assertions: FxHashMap<Point, Assertion>,
    /// What all threads guarantee, after the last iteration.
    pub(super) guarantees: Vec<Guarantee>,
    images_left: usize,
    most_questions: u64,
    pub(super) iterations: Vec<Iteration>,
}

impl<'m, 'p> Modular<'m, 'p> {
    /// The threads before their first step.
    pub(super) fn new(
        model: &'m Model<'p>,
        symmetries: &'m [Symmetry],
        growth: Growth,
        most_images: usize,
        most_questions: u64,
    ) -> Self {
        // A proof speaks of globals: if they stay what they are, one proof is all proofs.
        let is_simple = |symmetry: &&Symmetry| symmetry.keeps_globals(&model.cells);
        let copy = |symmetry: &'m Symmetry| (symmetry.threads().1, symmetry, symmetry.threads().0);
        let copies: Vec<_> = symmetries.iter().filter(is_simple).map(copy).collect();
        let is_copy = |thread: &ThreadId| copies.iter().any(|(copy, _, _)| copy == thread);
        let proofs = model.program.threads().ids().filter(|thread| !is_copy(thread)).map(LocalProof::new);
        Self {
            model,
            growth,
            proofs: proofs.collect(),
            copies,
            assertions: FxHashMap::default(),
            guarantees: Vec::new(),
            images_left: most_images,
            most_questions,
            iterations: Vec::new(),
        }
    }

    /// Repairs until every assertion is stable; then together they exclude every offence.
    pub(super) fn run(&mut self, team: &mut Team) -> Result<(), Interrupted> {
        let first = team.questions();
        self.start(team.lead());
        loop {
            let questions = team.questions();
            let outcome = self.repair(team);
            self.iterations.push(Iteration {
                disjuncts: self.assertions.values().map(|assertion| assertion.disjuncts().len()).sum(),
                transitions: self.guarantees.len(),
                counterexamples: *outcome.as_ref().unwrap_or(&0),
                constraints: team.questions() - questions,
            });
            if outcome? == 0 {
                return Ok(());
            }
            if team.questions() - first > self.most_questions {
                return Err(Interrupted::TooMuchWork);
            }
        }
    }

    fn start(&mut self, reasoner: &mut Reasoner) {
        for proof in &mut self.proofs {
            let Some(point) = self.model.start_of(proof.thread) else { continue };
            for region in &self.model.initial {
                proof.add(self.model, &self.growth, reasoner, point, region);
            }
        }
    }

    /// One iteration: completes all proofs and confronts them with each other. How many
    /// counterexamples there were. Assertions only grow, so whether they still exclude every
    /// offence is asked as soon as the proofs are complete.
    fn repair(&mut self, team: &mut Team) -> Result<usize, Interrupted> {
        let model = self.model;
        let spent = |proofs: &[LocalProof]| proofs.iter().map(|proof| proof.images).sum::<usize>();
        let before = spent(&self.proofs);
        // Everybody may use what is left; whether it was too much together is seen afterwards.
        let left = self.images_left;
        let weight = self.iterations.last().map_or(0, |last| last.constraints as usize / self.proofs.len());
        team.for_each(&mut self.proofs, weight, |proof, reasoner| {
            let most = proof.images + left;
            proof.construct(model, &self.growth, reasoner, most)
        })
        .into_iter()
        .collect::<Result<(), Interrupted>>()?;
        self.assertions = self.all_assertions(team.lead());
        self.must_exclude_all(team.lead())?;
        let mut counterexamples = self.spawn(team.lead())?;
        self.guarantees = self.all_guarantees();
        let guarantees = &self.guarantees;
        let found = team.for_each(&mut self.proofs, weight, |proof, reasoner| {
            let most = proof.images + left;
            proof.verify(model, &self.growth, reasoner, guarantees, most)
        });
        for found in found {
            counterexamples += found?;
        }
        self.images_left = left.checked_sub(spent(&self.proofs) - before).ok_or(Interrupted::TooMuchWork)?;
        if counterexamples > 0 {
            self.assertions = self.all_assertions(team.lead());
            self.must_exclude_all(team.lead())?;
        }
        Ok(counterexamples)
    }

    fn must_exclude_all(&self, reasoner: &mut Reasoner) -> Result<(), Interrupted> {
        let excluded = modular_excludes_all(self.model, &self.assertions, reasoner)?;
        if excluded { Ok(()) } else { Err(Interrupted::Offended) }
    }

    /// What all threads guarantee: those that are worked on, and their copies.
    fn all_guarantees(&self) -> Vec<Guarantee> {
        let mut all: FxHashMap<ThreadId, Vec<Guarantee>> = FxHashMap::default();
        for proof in &self.proofs {
            let current = proof.current_guarantees(self.model).into_iter().cloned().collect();
            all.insert(proof.thread, current);
        }
        for (copy, symmetry, original) in &self.copies {
            let renamed = all.get(original).map(|guarantees| {
                guarantees.iter().filter_map(|one| symmetry.guarantee(self.model, one)).collect()
            });
            all.insert(*copy, renamed.unwrap_or_default());
        }
        let mut all: Vec<(ThreadId, Vec<Guarantee>)> = all.into_iter().collect();
        all.sort_by_key(|(thread, _)| *thread);
        all.into_iter().flat_map(|(_, guarantees)| guarantees).collect()
    }

    /// What holds where, of those that are worked on and their copies.
    fn all_assertions(&self, reasoner: &mut Reasoner) -> FxHashMap<Point, Assertion> {
        let mut all: FxHashMap<Point, Assertion> = FxHashMap::default();
        for proof in &self.proofs {
            let here = proof.assertions.iter();
            all.extend(here.map(|(point, assertion)| ((proof.thread, *point), assertion.clone())));
        }
        for (copy, symmetry, original) in &self.copies {
            for point in ControlPoint::all(self.model.program, *original) {
                let Some(assertion) = all.get(&(*original, point)) else { continue };
                let renamed = assertion.mapped(|region| symmetry.region(&self.model.cells, reasoner, region));
                all.insert((*copy, symmetry.point(point)), renamed);
            }
        }
        all
    }

    /// Template instances start with what the spawning steps leave.
    fn spawn(&mut self, reasoner: &mut Reasoner) -> Result<usize, Interrupted> {
        let mut counterexamples = 0;
        for step in self.model.steps.values().filter(|step| !step.spawned.is_empty()) {
            let parent = self.proofs.iter().find(|proof| proof.thread == step.thread);
            let from: Vec<Region> = parent
                .map(|proof| proof.disjuncts_at(ControlPoint::At(step.source)))
                .unwrap_or_default()
                .iter()
                .map(|disjunct| disjunct.region.clone())
                .collect();
            for (template, locals) in &step.spawned {
                let entry = ControlPoint::At(self.model.program.threads()[*template].entry);
                for region in &from {
                    reasoner.check_budget()?;
                    self.images_left = self.images_left.checked_sub(1).ok_or(Interrupted::TooMuchWork)?;
                    let Some(region) = self.newcomer(reasoner, step, locals, region) else { continue };
                    let proof = self.proofs.iter_mut().find(|proof| proof.thread == *template);
                    let is_new = proof
                        .is_some_and(|proof| proof.add(self.model, &self.growth, reasoner, entry, &region));
                    counterexamples += usize::from(is_new);
                }
            }
        }
        Ok(counterexamples)
    }

    /// What a new template instance knows: the globals after the step that starts it, and its locals.
    fn newcomer(
        &self,
        reasoner: &mut Reasoner,
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
