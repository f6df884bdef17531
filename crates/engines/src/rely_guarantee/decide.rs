//! Questions about abstract steps, each asked once.
//!
//! Which predicates hold after a step depends on the literals before it and on the move, not on where
//! the other threads are; nor does the answer change when the abstraction is refined. So the answers
//! are kept for the whole verification. And it depends on few of the literals (see [`Islands`]): when
//! new predicates are tracked, most questions about the old ones stay the same. Growing the trees
//! again costs few questions.

use super::abstraction::Abstraction;
use super::islands::Islands;
use super::literals::{Literal, Literals, PredicateId};
use super::system::{MoveId, System, before};
use rely_base::{Arena, Budget, define_id};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, VarId, Verdict};
use rely_program::ThreadId;
use rustc_hash::FxHashMap;

/// A step about which questions are asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) by: MoveId,
    /// What holds before: of the thread itself, or of the observer and the actor together.
    pub(super) known: Literals,
    /// If the actor is another instance of the observer's template: what holds of it.
    pub(super) foreign: Option<Literals>,
    /// The thread that sees the step.
    pub(super) observer: ThreadId,
    /// What follows from where the two are; nothing, if threads are not counted.
    pub(super) facts: Vec<Constraint>,
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
pub(super) struct Decider<'a> {
    system: &'a System<'a>,
    budget: &'a Budget,
    solver: Conjunction,
    steps: FxHashMap<Step, StepId>,
    answers: Arena<StepId, Known>,
    /// The step whose constraints the solver holds.
    loaded: Option<StepId>,
    islands: Option<Islands>,
    /// Which literals can hold together.
    consistent: FxHashMap<Literals, bool>,
}

/// More remembered steps than this are forgotten together.
const MOST_ANSWERS: usize = 1 << 19;

impl<'a> Decider<'a> {
    pub(super) fn new(system: &'a System<'a>, budget: &'a Budget) -> Self {
        let mut solver = Conjunction::new(Domain::Integers);
        solver.set_proofs(false);
        Decider {
            system,
            budget,
            solver,
            steps: FxHashMap::default(),
            answers: Arena::new(),
            loaded: None,
            islands: None,
            consistent: FxHashMap::default(),
        }
    }

    /// An estimate of what the answers hold.
    pub(super) fn memory_bytes(&self) -> usize {
        const PER_ANSWER: usize = size_of::<Step>() + size_of::<Known>() + 64;
        self.answers.len() * PER_ANSWER
    }

    /// Whether a step can be made.
    pub(super) fn is_possible(&mut self, abstraction: &Abstraction, step: &Step) -> bool {
        self.possible(abstraction, step).is_some()
    }

    /// What holds after a step, of the predicates of a mask; `None` if the step cannot be made.
    /// `kept` are the literals that stay if the step does not touch them.
    pub(super) fn after(
        &mut self,
        abstraction: &Abstraction,
        step: &Step,
        among: &Literals,
        (kept, affected): (&Literals, &Literals),
    ) -> Option<Literals> {
        let id = self.possible(abstraction, step)?;
        let kept = kept.intersection(among).without(affected);
        let open = among.clone().without(&kept.predicates());
        let unasked = open.clone().without(&self.answers[id].asked);
        if !unasked.is_empty() {
            self.ask(abstraction, step, id, &unasked);
        }
        kept.union(&self.answers[id].holds.intersection(&open))
    }

    /// The number of a step, if it can be made.
    fn possible(&mut self, abstraction: &Abstraction, step: &Step) -> Option<StepId> {
        if self.answers.len() >= MOST_ANSWERS {
            self.steps.clear();
            self.answers = Arena::new();
            self.loaded = None;
        }
        let id = self.number(step);
        let possible = match self.answers[id].possible {
            Some(possible) => possible,
            None => {
                let possible = self.find_possible(abstraction, step);
                self.answers[id].possible = Some(possible);
                possible
            }
        };
        possible.then_some(id)
    }

    /// Whether a step can be made, island by island.
    fn find_possible(&mut self, abstraction: &Abstraction, step: &Step) -> bool {
        let Some(islands) = self.islands_of(abstraction, step) else {
            return self.ask_possible(abstraction, step);
        };
        let apart = islands.apart(step.by).iter().map(|island| step.known.intersection(island));
        let apart: Vec<Literals> = apart.filter(|known| !known.is_empty()).collect();
        let guarded: Vec<Step> =
            islands.guarded(step.by).iter().map(|island| step.restricted_to(island)).collect();
        guarded.iter().all(|part| self.ask_possible(abstraction, part))
            && apart.into_iter().all(|known| self.is_consistent(abstraction, known))
    }

    /// Asks the solver whether a step can be made.
    fn ask_possible(&mut self, abstraction: &Abstraction, step: &Step) -> bool {
        let id = self.number(step);
        if let Some(possible) = self.answers[id].possible {
            return possible;
        }
        self.load(abstraction, step, id);
        let possible = self.solver.check(self.budget) != Verdict::Unsat;
        self.answers[id].possible = Some(possible);
        possible
    }

    /// Whether literals can hold together.
    fn is_consistent(&mut self, abstraction: &Abstraction, known: Literals) -> bool {
        if let Some(&consistent) = self.consistent.get(&known) {
            return consistent;
        }
        let constraints: Vec<Constraint> = abstraction.constraints(&known).cloned().collect();
        let consistent = self.is_satisfiable(&constraints);
        self.consistent.insert(known, consistent);
        consistent
    }

    /// The islands, if they can be used: instances of templates have facts about their handles, and
    /// what is counted may have to do with anything.
    fn islands_of(&mut self, abstraction: &Abstraction, step: &Step) -> Option<&Islands> {
        let threads = [step.observer, self.system.get(step.by).thread];
        let has_template = threads.iter().any(|&thread| self.system.thread(thread).is_template);
        if has_template || !step.facts.is_empty() {
            return None;
        }
        if self.islands.as_ref().is_none_or(|islands| !islands.fit(abstraction)) {
            self.islands = Some(Islands::new(self.system, abstraction));
        }
        self.islands.as_ref()
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
    fn ask(&mut self, abstraction: &Abstraction, step: &Step, id: StepId, predicates: &Literals) {
        for literal in predicates.iter().filter(|literal| literal.holds) {
            let islands = self.islands_of(abstraction, step);
            let part =
                islands.map(|islands| step.restricted_to(islands.relevant(step.by, literal.predicate)));
            let entailed = match part {
                Some(part) if part.known != step.known => {
                    self.ask_part(abstraction, &part, literal.predicate)
                }
                _ => self.ask_solver(abstraction, step, id, literal.predicate),
            };
            self.answers[id].learn(literal.predicate, entailed);
        }
    }

    /// What holds of a predicate after a step of which less is known.
    fn ask_part(
        &mut self,
        abstraction: &Abstraction,
        part: &Step,
        predicate: PredicateId,
    ) -> Option<Literal> {
        let id = self.number(part);
        if self.answers[id].asked.contains_predicate(predicate) {
            return self.answers[id].holds.get(predicate);
        }
        let entailed = self.ask_solver(abstraction, part, id, predicate);
        self.answers[id].learn(predicate, entailed);
        entailed
    }

    fn ask_solver(
        &mut self,
        abstraction: &Abstraction,
        step: &Step,
        id: StepId,
        predicate: PredicateId,
    ) -> Option<Literal> {
        self.load(abstraction, step, id);
        let updates = self.updates(step);
        self.entailed(abstraction, predicate, &updates)
    }

    fn entailed(
        &mut self,
        abstraction: &Abstraction,
        predicate: PredicateId,
        updates: &[(VarId, LinearForm)],
    ) -> Option<Literal> {
        let literals = [true, false].map(|holds| Literal { predicate, holds });
        literals.into_iter().find(|&literal| {
            let constraint = before(abstraction.constraint(literal), updates);
            self.solver.entails(&constraint, self.budget) == Entailment::Yes
        })
    }

    /// What holds of the predicates of a thread, given constraints and then a step that is
    /// described by its updates. This is not remembered.
    pub(super) fn abstracted(
        &mut self,
        abstraction: &Abstraction,
        constraints: &[Constraint],
        updates: &[(VarId, LinearForm)],
        thread: ThreadId,
    ) -> Option<Literals> {
        if !self.is_satisfiable(constraints) {
            return None;
        }
        let predicates = abstraction.of(thread).iter();
        Some(predicates.filter_map(|&predicate| self.entailed(abstraction, predicate, updates)).collect())
    }

    /// Whether constraints have a solution, as far as can be told.
    pub(super) fn is_satisfiable(&mut self, constraints: &[Constraint]) -> bool {
        self.loaded = None;
        self.solver.reset();
        for constraint in constraints {
            self.solver.assert(constraint);
        }
        self.solver.check(self.budget) != Verdict::Unsat
    }

    fn load(&mut self, abstraction: &Abstraction, step: &Step, id: StepId) {
        if self.loaded == Some(id) {
            return;
        }
        let by = self.system.get(step.by);
        let system = self.system;
        let rename = |cell| rename(system, step, cell);
        self.solver.reset();
        for constraint in abstraction.constraints(&step.known) {
            self.solver.assert(constraint);
        }
        let foreign = step.foreign.iter().flat_map(|literals| abstraction.constraints(literals));
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
