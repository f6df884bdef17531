//! Questions about abstract steps, each asked once.
//!
//! Which predicates hold after a step depends on the literals before it and on the move, not on where
//! the other threads are; nor does the answer change when the abstraction is refined. So the answers
//! are kept for the whole verification: growing the trees again costs few questions.

use super::abstraction::Abstraction;
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

/// The solver and what it has answered.
pub(super) struct Decider<'a> {
    system: &'a System<'a>,
    budget: &'a Budget,
    solver: Conjunction,
    steps: FxHashMap<Step, StepId>,
    answers: Arena<StepId, Known>,
    /// The step whose constraints the solver holds.
    loaded: Option<StepId>,
}

/// More remembered steps than this are forgotten together.
const MOST_ANSWERS: usize = 1 << 19;

impl<'a> Decider<'a> {
    pub(super) fn new(system: &'a System<'a>, budget: &'a Budget) -> Self {
        let mut solver = Conjunction::new(Domain::Integers);
        solver.set_proofs(false);
        let (steps, answers) = (FxHashMap::default(), Arena::new());
        Decider { system, budget, solver, steps, answers, loaded: None }
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
        let id = self.number(step);
        let possible = match self.answers[id].possible {
            Some(possible) => possible,
            None => {
                self.load(abstraction, step, id);
                let possible = self.solver.check(self.budget) != Verdict::Unsat;
                self.answers[id].possible = Some(possible);
                possible
            }
        };
        possible.then_some(id)
    }

    fn number(&mut self, step: &Step) -> StepId {
        if let Some(&id) = self.steps.get(step) {
            return id;
        }
        if self.answers.len() >= MOST_ANSWERS {
            self.steps.clear();
            self.answers = Arena::new();
            self.loaded = None;
        }
        let id = self.answers.push(Known::default());
        self.steps.insert(step.clone(), id);
        id
    }

    /// Finds out what holds of some predicates after a step.
    fn ask(&mut self, abstraction: &Abstraction, step: &Step, id: StepId, predicates: &Literals) {
        self.load(abstraction, step, id);
        let updates = self.updates(step);
        for literal in predicates.iter().filter(|literal| literal.holds) {
            let entailed = self.entailed(abstraction, literal.predicate, &updates);
            let known = &mut self.answers[id];
            entailed.into_iter().for_each(|literal| known.holds.insert(literal));
            known.asked.insert(literal);
            known.asked.insert(Literal { holds: false, ..literal });
        }
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
        for fact in self.system.handle_facts(step.observer, by.thread) {
            self.solver.assert(&fact);
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
