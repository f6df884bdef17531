//! What is told apart of states: comparisons of shared variables and counters with numbers and with each other.

use super::machine::{End, Machine, Transition, bounds};
use rely_base::{Id, define_id};
use rely_logic::{Constraint, Integer, LinearForm, Node, Relation, TermId, VarId};
use rely_symbolic::before;
use rustc_hash::FxHashMap;

define_id!(
    /// A predicate.
    pub(super) struct PredicateId
);

/// A predicate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal {
    pub(super) predicate: PredicateId,
    pub(super) positive: bool,
}

/// A conjunction of literals, ascending.
pub(super) type Cube = Vec<Literal>;

/// All predicates.
#[derive(Clone, Debug, Default)]
pub(super) struct Predicates {
    constraints: Vec<Constraint>,
    numbers: FxHashMap<Constraint, PredicateId>,
}

impl Predicates {
    /// What the program suggests: tests of shared variables, and whether there is nobody, or one thread, somewhere.
    pub(super) fn new(machine: &Machine<'_, '_>, violations: &[TermId]) -> Self {
        let mut predicates = Self::default();
        for (thread, counters) in machine.system.threads.iter().zip(&machine.counters) {
            for &counter in counters {
                predicates.at_most(counter, 0);
                if thread.is_template {
                    predicates.at_most(counter, 1);
                }
            }
        }
        for (class, counter) in &machine.classes {
            predicates.at_most(*counter, 0);
            let others =
                LinearForm::variable(machine.at(class.location)).minus(&LinearForm::variable(*counter));
            predicates.insert(&Constraint::new(others, Relation::Le));
        }
        for &violation in violations {
            for part in machine.pool.subterms([violation]) {
                if matches!(machine.pool.node(part), Node::LeZero(_) | Node::EqZero(_)) {
                    machine.pool.constraint(part).iter().for_each(|test| predicates.insert(test));
                }
            }
        }
        predicates.tests(machine);
        predicates
    }

    /// The tests of transitions, and the constants that cells have initially or are set to.
    fn tests(&mut self, machine: &Machine<'_, '_>) {
        let initial = machine.initial.iter().flatten();
        for constraint in machine.transitions.values().flat_map(|transition| &transition.guard).chain(initial)
        {
            if constraint.form().variables().all(|variable| machine.is_state(variable)) {
                self.insert(constraint);
            }
        }
        for transition in machine.transitions.values().filter(|transition| transition.end == End::Moves) {
            transition.guard.iter().filter_map(|test| afterwards(machine, transition, test)).for_each(
                |test| {
                    self.insert(&test);
                },
            );
        }
        for (variable, value) in machine.transitions.values().flat_map(|transition| &transition.updates) {
            let is_cell = machine.system.cells.is_cell(*variable);
            if let (true, true, Some(value)) = (is_cell, value.is_constant(), value.constant_term().to_i64())
            {
                let cell = LinearForm::variable(*variable);
                self.insert(&Constraint::eq(&cell, &LinearForm::constant(value)));
            }
        }
    }

    fn at_most(&mut self, counter: VarId, number: i64) {
        self.insert(&Constraint::le(&LinearForm::variable(counter), &LinearForm::constant(number)));
    }

    /// Adds the comparisons that a constraint consists of.
    pub(super) fn insert(&mut self, constraint: &Constraint) {
        for bound in bounds(constraint) {
            if bound.is_true() || bound.is_false() {
                continue;
            }
            let (bound, _) = oriented(bound);
            let number = PredicateId::from_index(self.constraints.len());
            if let std::collections::hash_map::Entry::Vacant(entry) = self.numbers.entry(bound.clone()) {
                entry.insert(number);
                self.constraints.push(bound);
            }
        }
    }

    /// The literals that together are a constraint, if it is a conjunction of predicates.
    pub(super) fn literals(&self, constraint: &Constraint) -> Option<Vec<Literal>> {
        if constraint.relation() == Relation::Ne {
            return None;
        }
        let literal = |bound: Constraint| {
            let (bound, positive) = oriented(bound);
            Some(Literal { predicate: *self.numbers.get(&bound)?, positive })
        };
        bounds(constraint).into_iter().filter(|bound| !bound.is_true()).map(literal).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.constraints.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = PredicateId> + use<> {
        (0..self.constraints.len()).map(PredicateId::from_index)
    }

    /// The meaning of a predicate.
    pub(super) fn get(&self, predicate: PredicateId) -> &Constraint {
        &self.constraints[predicate.index()]
    }

    /// The meaning of a literal.
    pub(super) fn constraint(&self, literal: Literal) -> Constraint {
        let constraint = self.get(literal.predicate);
        if literal.positive { constraint.clone() } else { constraint.negated() }
    }

    /// The literals that hold in a state.
    pub(super) fn valuation(&self, mut value: impl FnMut(VarId) -> Integer) -> Cube {
        let literal = |predicate| Literal { predicate, positive: self.get(predicate).holds(&mut value) };
        self.ids().map(literal).collect()
    }
}

/// What a test of cells says after the transition that makes it, if that adds constants to some of them: a loop with
/// `i < n` and `i := i + 1` leaves `i <= n`.
fn afterwards(machine: &Machine<'_, '_>, transition: &Transition, test: &Constraint) -> Option<Constraint> {
    let is_cell = |variable| machine.is_state(variable) && machine.system.cells.is_cell(variable);
    if !test.form().variables().all(is_cell) {
        return None;
    }
    let mut back = Vec::new();
    for (variable, value) in &transition.updates {
        let cell = LinearForm::variable(*variable);
        let added = value.minus(&cell);
        if test.form().variables().any(|tested| tested == *variable) {
            back.push((*variable, added.is_constant().then(|| cell.minus(&added))?));
        }
    }
    (!back.is_empty()).then(|| before(test, &back))
}

/// Of a comparison and its negation, the one that begins with a positive factor, and whether that is the comparison.
fn oriented(bound: Constraint) -> (Constraint, bool) {
    match bound.form().terms().first() {
        Some((_, factor)) if *factor < Integer::ZERO => (bound.negated(), false),
        _ => (bound, true),
    }
}
