//! Predicates that are likely to matter: what the program itself compares and assigns.

use super::system::{System, before};
use rely_logic::{Constraint, LinearForm};
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
        // What a step makes of a condition: after `x := x + 1`, a bound on `x` is one higher.
        for position in 0..seeds.constraints.len() {
            for a_move in &system.moves {
                let moved = before(&seeds.constraints[position], &a_move.branch.updates);
                seeds.add(moved);
            }
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
