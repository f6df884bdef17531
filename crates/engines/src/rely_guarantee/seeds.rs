//! Predicates that are likely to matter: what the program itself compares and assigns.

use super::system::System;
use rely_logic::{Constraint, LinearForm, Relation};
use rustc_hash::FxHashSet;

/// More seeds than this make refinement slower than they make it better.
const MOST_SEEDS: usize = 96;

/// Predicates from the source, the most promising ones first: assertions and properties, then
/// conditions, then the constants that variables are set to.
pub(super) struct Seeds {
    constraints: Vec<Constraint>,
}

impl Seeds {
    pub(super) fn new(system: &System<'_>) -> Self {
        let mut seeds = Collected { system, seen: FxHashSet::default(), constraints: Vec::new() };
        for violation in &system.violations {
            seeds.add_all(&violation.guard);
        }
        for a_move in &system.moves {
            seeds.add_all(&a_move.branch.guard);
        }
        for a_move in &system.moves {
            for (cell, value) in a_move.branch.updates.iter().filter(|(_, value)| value.is_constant()) {
                seeds.add(Constraint::eq(&LinearForm::variable(*cell), value));
            }
        }
        for position in 0..seeds.constraints.len() {
            seeds.add_neighbours(position);
        }
        Seeds { constraints: seeds.constraints }
    }

    pub(super) fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
}

struct Collected<'s, 'p> {
    system: &'s System<'p>,
    seen: FxHashSet<Constraint>,
    constraints: Vec<Constraint>,
}

impl Collected<'_, '_> {
    fn add_all(&mut self, constraints: &[Constraint]) {
        for constraint in constraints {
            self.add(constraint.clone());
        }
    }

    /// The two halves of an equation, and what holds one step later: after `x := x + 1`, a bound
    /// on `x` is one higher.
    fn add_neighbours(&mut self, position: usize) {
        let constraint = self.constraints[position].clone();
        if matches!(constraint.relation(), Relation::Eq) {
            let form = constraint.form();
            self.add(Constraint::new(form.clone(), Relation::Le));
            self.add(Constraint::new(form.negated(), Relation::Le));
        }
        for a_move in &self.system.moves {
            for (cell, value) in &a_move.branch.updates {
                let step = value.minus(&LinearForm::variable(*cell));
                if step.is_constant() && constraint.form().contains(*cell) {
                    let earlier = LinearForm::variable(*cell).minus(&step);
                    self.add(constraint.substitute(*cell, &earlier));
                }
            }
        }
    }

    fn add(&mut self, constraint: Constraint) {
        let speaks_of_cells =
            constraint.form().variables().all(|variable| self.system.cells.is_cell(variable));
        let is_trivial = constraint.is_true() || constraint.is_false();
        if self.constraints.len() < MOST_SEEDS && speaks_of_cells && !is_trivial {
            for side in [constraint.clone(), constraint.negated()] {
                if self.seen.insert(side.clone()) {
                    self.constraints.push(side);
                }
            }
        }
    }
}
