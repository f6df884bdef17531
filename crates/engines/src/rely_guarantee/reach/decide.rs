//! Questions about abstract steps, each asked once.
//!
//! Which predicates hold after a step depends on the literals before it and on the move, not on where
//! the other threads are; nor does the answer change when the precision is refined. So the answers
//! are kept for the whole verification. And it depends on few of the literals (see [`Components`]): when
//! new predicates are tracked, most questions about the old ones stay the same. Growing the trees
//! again costs few questions.

use super::components::Components;
use crate::rely_guarantee::limits::Limits;
use crate::rely_guarantee::precision::Precision;
use crate::rely_guarantee::precision::literals::{Literal, Literals, PredicateId};
use rely_base::{Arena, Budget, define_id};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, VarId, Verdict};
use rely_program::ThreadId;
use rely_symbolic::{MoveId, System, before};
use rustc_hash::FxHashMap;

/// A step about which questions are asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) by: MoveId,
    /// What holds before: of the thread itself, or of the observer and the actor together.
    pub(crate) known: Literals,
    /// If the actor is another instance of the observer's template: what holds of it.
    pub(crate) foreign: Option<Literals>,
    /// The thread that sees the step.
    pub(crate) observer: ThreadId,
    /// What follows from where the two are; nothing, if threads are not counted.
    pub(crate) facts: Vec<Constraint>,
}

impl Step {
    /// The same step if only some of the predicates are known.
    fn restricted_to(&self, mask: &Literals) -> Step {
        Step { known: self.known.intersection(mask), ..self.clone() }
    }
}

define_id!(
    /// A step about which something was asked.
    struct StepId
);

/// What has been found out about a step.
#[derive(Default)]
struct Known {
    possible: Option<bool>,
    /// The predicates that were asked for, as a mask.
    asked: Literals,
    /// What holds of them after the step.
    holds: Literals,
}

impl Known {
    fn learn(&mut self, predicate: PredicateId, entailed: Option<Literal>) {
        entailed.into_iter().for_each(|literal| self.holds.insert(literal));
        [true, false].into_iter().for_each(|holds| self.asked.insert(Literal { predicate, holds }));
    }
}

/// The solver and what it has answered.
pub(crate) struct Decider<'a> {
    system: &'a System<'a>,
    pub(crate) limits: Limits,
    budget: &'a Budget,
    solver: Conjunction,
    steps: FxHashMap<Step, StepId>,
    answers: Arena<StepId, Known>,
    /// The step whose constraints the solver holds.
    loaded: Option<StepId>,
    components: Option<Components>,
    /// Which literals can hold together.
    consistent: FxHashMap<Literals, bool>,
}

impl<'a> Decider<'a> {
    pub(crate) fn new(system: &'a System<'a>, limits: Limits, budget: &'a Budget) -> Self {
        let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
        solver.set_proofs(false);
        Decider {
            system,
            limits,
            budget,
            solver,
            steps: FxHashMap::default(),
            answers: Arena::new(),
            loaded: None,
            components: None,
            consistent: FxHashMap::default(),
        }
    }

    /// An estimate of what the answers hold.
    pub(crate) fn memory_bytes(&self) -> usize {
        const PER_ANSWER: usize = size_of::<Step>() + size_of::<Known>() + 64;
        self.answers.len() * PER_ANSWER
    }

    /// Whether a step can be made.
    pub(crate) fn is_possible(&mut self, precision: &Precision, step: &Step) -> bool {
        self.possible(precision, step).is_some()
    }

    /// What holds after a step, of the predicates of a mask; `None` if the step cannot be made.
    /// `kept` are the literals that stay if the step does not touch them.
    pub(crate) fn after(
        &mut self,
        precision: &Precision,
        step: &Step,
        among: &Literals,
        (kept, affected): (&Literals, &Literals),
    ) -> Option<Literals> {
        let id = self.possible(precision, step)?;
        let kept = kept.intersection(among).without(affected);
        let open = among.clone().without(&kept.predicates());
        let unasked = open.clone().without(&self.answers[id].asked);
        if !unasked.is_empty() {
            self.ask(precision, step, id, &unasked);
        }
        kept.union(&self.answers[id].holds.intersection(&open))
    }

    /// The number of a step, if it can be made.
    fn possible(&mut self, precision: &Precision, step: &Step) -> Option<StepId> {
        if self.answers.len() >= self.limits.remembered_steps {
            self.steps.clear();
            self.answers = Arena::new();
            self.loaded = None;
        }
        let id = self.number(step);
        let possible = match self.answers[id].possible {
            Some(possible) => possible,
            None => {
                let possible = self.find_possible(precision, step);
                self.answers[id].possible = Some(possible);
                possible
            }
        };
        possible.then_some(id)
    }

    /// Whether a step can be made, variable component by variable component.
    fn find_possible(&mut self, precision: &Precision, step: &Step) -> bool {
        let Some(components) = self.components_of(precision, step) else {
            return self.ask_possible(precision, step);
        };
        let apart = components.apart(step.by).iter().map(|component| step.known.intersection(component));
        let apart: Vec<Literals> = apart.filter(|known| !known.is_empty()).collect();
        let guarded: Vec<Step> =
            components.guarded(step.by).iter().map(|component| step.restricted_to(component)).collect();
        guarded.iter().all(|part| self.ask_possible(precision, part))
            && apart.into_iter().all(|known| self.is_consistent(precision, known))
    }

    /// Asks the solver whether a step can be made.
    fn ask_possible(&mut self, precision: &Precision, step: &Step) -> bool {
        let id = self.number(step);
        if let Some(possible) = self.answers[id].possible {
            return possible;
        }
        self.load(precision, step, id);
        let possible = self.solver.check(self.budget) != Verdict::Unsat;
        self.answers[id].possible = Some(possible);
        possible
    }

    /// Whether literals can hold together.
    fn is_consistent(&mut self, precision: &Precision, known: Literals) -> bool {
        if let Some(&consistent) = self.consistent.get(&known) {
            return consistent;
        }
        let constraints: Vec<Constraint> = precision.constraints(&known).cloned().collect();
        let consistent = self.is_satisfiable(&constraints);
        self.consistent.insert(known, consistent);
        consistent
    }

    /// The variable components, if they can be used: instances of templates have facts about their handles, and
    /// what is counted may have to do with anything.
    fn components_of(&mut self, precision: &Precision, step: &Step) -> Option<&Components> {
        let threads = [step.observer, self.system.get(step.by).thread];
        let has_template = threads.iter().any(|&thread| self.system.thread(thread).is_template);
        if has_template || !step.facts.is_empty() {
            return None;
        }
        if self.components.as_ref().is_none_or(|components| !components.fit(precision)) {
            self.components = Some(Components::new(self.system, precision));
        }
        self.components.as_ref()
    }

    fn number(&mut self, step: &Step) -> StepId {
        if let Some(&id) = self.steps.get(step) {
            return id;
        }
        let id = self.answers.push(Known::default());
        self.steps.insert(step.clone(), id);
        id
    }

    /// Finds out what holds of some predicates after a step.
    fn ask(&mut self, precision: &Precision, step: &Step, id: StepId, predicates: &Literals) {
        for literal in predicates.iter().filter(|literal| literal.holds) {
            let components = self.components_of(precision, step);
            let part = components
                .map(|components| step.restricted_to(components.relevant(step.by, literal.predicate)));
            let entailed = match part {
                Some(part) if part.known != step.known => self.ask_part(precision, &part, literal.predicate),
                _ => self.ask_solver(precision, step, id, literal.predicate),
            };
            self.answers[id].learn(literal.predicate, entailed);
        }
    }

    /// What holds of a predicate after a step of which less is known.
    fn ask_part(&mut self, precision: &Precision, part: &Step, predicate: PredicateId) -> Option<Literal> {
        let id = self.number(part);
        if self.answers[id].asked.contains_predicate(predicate) {
            return self.answers[id].holds.get(predicate);
        }
        let entailed = self.ask_solver(precision, part, id, predicate);
        self.answers[id].learn(predicate, entailed);
        entailed
    }

    fn ask_solver(
        &mut self,
        precision: &Precision,
        step: &Step,
        id: StepId,
        predicate: PredicateId,
    ) -> Option<Literal> {
        self.load(precision, step, id);
        let updates = self.updates(step);
        self.entailed(precision, predicate, &updates)
    }

    fn entailed(
        &mut self,
        precision: &Precision,
        predicate: PredicateId,
        updates: &[(VarId, LinearForm)],
    ) -> Option<Literal> {
        let literals = [true, false].map(|holds| Literal { predicate, holds });
        literals.into_iter().find(|&literal| {
            let constraint = before(precision.constraint(literal), updates);
            self.solver.entails(&constraint, self.budget) == Entailment::Yes
        })
    }

    /// What holds of the predicates of a thread, given constraints and then a step that is
    /// described by its updates. This is not remembered.
    pub(crate) fn abstracted(
        &mut self,
        precision: &Precision,
        constraints: &[Constraint],
        updates: &[(VarId, LinearForm)],
        thread: ThreadId,
    ) -> Option<Literals> {
        if !self.is_satisfiable(constraints) {
            return None;
        }
        let predicates = precision.of(thread).iter();
        Some(predicates.filter_map(|&predicate| self.entailed(precision, predicate, updates)).collect())
    }

    /// Whether constraints have a solution, as far as can be told.
    pub(crate) fn is_satisfiable(&mut self, constraints: &[Constraint]) -> bool {
        self.loaded = None;
        self.solver.reset();
        for constraint in constraints {
            self.solver.assert(constraint);
        }
        self.solver.check(self.budget) != Verdict::Unsat
    }

    fn load(&mut self, precision: &Precision, step: &Step, id: StepId) {
        if self.loaded == Some(id) {
            return;
        }
        let by = self.system.get(step.by);
        let system = self.system;
        let rename = |cell| rename(system, step, cell);
        self.solver.reset();
        for constraint in precision.constraints(&step.known) {
            self.solver.assert(constraint);
        }
        let foreign = step.foreign.iter().flat_map(|literals| precision.constraints(literals));
        for constraint in foreign.chain(&by.branch.guard) {
            self.solver.assert(&constraint.rename(rename));
        }
        for fact in self.system.handle_facts(step.observer, by.thread).iter().chain(&step.facts) {
            self.solver.assert(fact);
        }
        self.loaded = Some(id);
    }

    /// The new values of the cells, as the observer names them.
    fn updates(&self, step: &Step) -> Vec<(VarId, LinearForm)> {
        let rename = |cell| rename(self.system, step, cell);
        let updates = self.system.get(step.by).branch.updates.iter();
        let mut updates: Vec<(VarId, LinearForm)> =
            updates.map(|(cell, value)| (rename(*cell), value.rename(rename))).collect();
        updates.sort_by_key(|(cell, _)| *cell);
        updates
    }
}

/// The name of an actor's cell for its observer.
fn rename(system: &System<'_>, step: &Step, cell: VarId) -> VarId {
    match step.foreign {
        Some(_) => system.seen_by(step.observer, system.get(step.by).thread, cell),
        None => cell,
    }
}
