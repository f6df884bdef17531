//! Questions about abstract steps, each asked once.
//!
//! Which predicates hold after a step depends on the literals before it and on the move, not on where
//! the other threads are; nor does the answer change when the abstraction is refined. So the answers
//! are kept for the whole verification: growing the trees again costs few questions.

use super::abstraction::Abstraction;
use super::literals::{Literal, Literals, PredicateId};
use super::system::{MoveId, System, before};
use rely_base::Budget;
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
}

/// What has been found out about a step.
#[derive(Default)]
struct Known {
    possible: Option<bool>,
    decided: FxHashMap<PredicateId, Option<Literal>>,
}

/// The solver and what it has answered.
pub(super) struct Decider<'a> {
    system: &'a System<'a>,
    budget: &'a Budget,
    solver: Conjunction,
    answers: FxHashMap<Step, Known>,
    /// The step whose constraints the solver holds.
    loaded: Option<Step>,
}

/// More remembered steps than this are forgotten together.
const MOST_ANSWERS: usize = 1 << 19;

impl<'a> Decider<'a> {
    pub(super) fn new(system: &'a System<'a>, budget: &'a Budget) -> Self {
        let mut solver = Conjunction::new(Domain::Integers);
        solver.set_proofs(false);
        Decider { system, budget, solver, answers: FxHashMap::default(), loaded: None }
    }

    /// An estimate of what the answers hold.
    pub(super) fn memory_bytes(&self) -> usize {
        const PER_ANSWER: usize = size_of::<Step>() + size_of::<Known>() + 128;
        self.answers.len() * PER_ANSWER
    }

    /// Whether a step can be made.
    pub(super) fn is_possible(&mut self, abstraction: &Abstraction, step: &Step) -> bool {
        if let Some(possible) = self.answers.get(step).and_then(|known| known.possible) {
            return possible;
        }
        if self.answers.len() >= MOST_ANSWERS {
            self.answers.clear();
        }
        self.load(abstraction, step);
        let possible = self.solver.check(self.budget) != Verdict::Unsat;
        self.answers.entry(step.clone()).or_default().possible = Some(possible);
        possible
    }

    /// What holds after a possible step, of some predicates. `kept` are the literals that stay if
    /// the step does not touch them.
    pub(super) fn after(
        &mut self,
        abstraction: &Abstraction,
        step: &Step,
        predicates: impl Iterator<Item = PredicateId>,
        (kept, affected): (&Literals, &Literals),
    ) -> Literals {
        let mut literals = Literals::default();
        for predicate in predicates {
            let untouched = !affected.contains_predicate(predicate);
            let literal = match kept.get(predicate) {
                Some(literal) if untouched => Some(literal),
                _ => self.decide(abstraction, step, predicate),
            };
            literal.into_iter().for_each(|literal| literals.insert(literal));
        }
        literals
    }

    fn decide(&mut self, abstraction: &Abstraction, step: &Step, predicate: PredicateId) -> Option<Literal> {
        if let Some(&decided) = self.answers.get(step).and_then(|known| known.decided.get(&predicate)) {
            return decided;
        }
        self.load(abstraction, step);
        let updates = self.updates(step);
        let decided = self.entailed(abstraction, predicate, &updates);
        self.answers.entry(step.clone()).or_default().decided.insert(predicate, decided);
        decided
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

    fn load(&mut self, abstraction: &Abstraction, step: &Step) {
        if self.loaded.as_ref() == Some(step) {
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
        for fact in self.system.handle_facts(step.observer, by.thread) {
            self.solver.assert(&fact);
        }
        self.loaded = Some(step.clone());
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
