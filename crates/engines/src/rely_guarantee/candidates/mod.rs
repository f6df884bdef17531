//! Predicates that are likely to matter: what the program itself compares and assigns, and how its
//! numbers are related.

mod analysis;
pub(crate) mod auxiliary;

use super::limits::Limits;
use analysis::{Analysis, Relations};
use rely_logic::{Constraint, LinearForm, Relation, VarId};
use rely_symbolic::System;
use rustc_hash::FxHashSet;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

/// Predicates that are worth trying, the most promising ones first: assertions and properties, then
/// conditions, then the constants that variables are set to, then relations that an analysis finds.
///
/// Most programs are done after few refinements. So the analysis waits until refinement has cost many
/// times as much as it is going to cost itself.
pub(crate) struct Candidates {
    pub(crate) limits: Limits,
    of_source: Vec<Constraint>,
    analyses: Vec<Analysis>,
    asked: Cell<usize>,
    with_relations: OnceCell<Vec<Constraint>>,
}

impl Candidates {
    pub(crate) fn new(system: &System<'_>, limits: Limits) -> Self {
        let mut candidates = Collected::new(Vec::new(), limits.candidates);
        for violation in &system.violations {
            candidates.add_all(system, &violation.guard);
        }
        for a_move in &system.moves {
            candidates.add_all(system, &a_move.branch.guard);
        }
        for a_move in &system.moves {
            for (cell, value) in a_move.branch.updates.iter().filter(|(_, value)| value.is_constant()) {
                candidates.add(Constraint::eq(&LinearForm::variable(*cell), value));
            }
        }
        for position in 0..candidates.constraints.len() {
            candidates.add_neighbours(system, position);
        }
        candidates.add_copies(system);
        let analyses = Analysis::all(system, &candidates.constraints, limits);
        if !analyses.is_empty() {
            candidates.add_all(system, &system.sums);
        }
        Candidates {
            limits,
            of_source: candidates.constraints,
            analyses,
            asked: Cell::new(0),
            with_relations: OnceCell::new(),
        }
    }

    /// What is worth trying for one unknown.
    pub(crate) fn constraints(&self) -> &[Constraint] {
        self.asked.set(self.asked.get() + 1);
        let cost: usize = self.analyses.iter().map(Analysis::cost).sum();
        if self.asked.get() * self.limits.bounds_per_unknown < cost {
            return &self.of_source;
        }
        self.with_relations.get_or_init(|| self.analysed())
    }

    fn analysed(&self) -> Vec<Constraint> {
        let found: Vec<Relations> = self.analyses.iter().filter_map(Analysis::run).collect();
        let always = found.iter().flat_map(|found| &found.always);
        let at_stages = found.iter().flat_map(|found| &found.at_stages);
        let most = self.of_source.len() + 2 * self.limits.relations;
        let mut candidates = Collected::new(self.of_source.clone(), most);
        always.chain(at_stages).for_each(|relation| candidates.add(relation.clone()));
        candidates.constraints
    }
}

/// Constraints together with their negations, each once.
struct Collected {
    seen: FxHashSet<Constraint>,
    constraints: Vec<Constraint>,
    /// No more than about so many.
    most: usize,
}

impl Collected {
    fn new(constraints: Vec<Constraint>, most: usize) -> Self {
        Collected { seen: constraints.iter().cloned().collect(), constraints, most }
    }

    /// Adds those of the constraints that speak of cells only.
    fn add_all(&mut self, system: &System<'_>, constraints: &[Constraint]) {
        for constraint in constraints {
            if constraint.form().variables().all(|variable| system.cells.is_cell(variable)) {
                self.add(constraint.clone());
            }
        }
    }

    /// The two halves of an equation, and what holds one step later: after `x := x + 1`, a bound
    /// on `x` is one higher.
    fn add_neighbours(&mut self, system: &System<'_>, position: usize) {
        let constraint = self.constraints[position].clone();
        if matches!(constraint.relation(), Relation::Eq) {
            let form = constraint.form();
            self.add(Constraint::new(form.clone(), Relation::Le));
            self.add(Constraint::new(form.negated(), Relation::Le));
        }
        for a_move in &system.moves {
            for (cell, value) in &a_move.branch.updates {
                let step = value.minus(&LinearForm::variable(*cell));
                if step.is_constant() && constraint.form().contains(*cell) {
                    let earlier = LinearForm::variable(*cell).minus(&step);
                    self.add(constraint.substitute(*cell, &earlier));
                }
            }
        }
    }

    /// What holds of a value holds of its copies, and must have held of what it was copied from:
    /// of those, of their copies and so on.
    fn add_copies(&mut self, system: &System<'_>) {
        let updates = system.moves.iter().flat_map(|by| &by.branch.updates);
        let copied = |(cell, value): &(VarId, LinearForm)| {
            let mut cells = value.variables().filter(|&variable| system.cells.is_cell(variable));
            cells.find(|&from| *value == LinearForm::variable(from)).map(|from| (*cell, from))
        };
        let copies: BTreeSet<(VarId, VarId)> = updates.filter_map(copied).collect();
        let mut position = 0;
        while let Some(constraint) = self.constraints.get(position).cloned() {
            for (from, to) in copies.iter().flat_map(|&(to, from)| [(to, from), (from, to)]) {
                if constraint.form().contains(from) {
                    self.add(constraint.substitute(from, &LinearForm::variable(to)));
                }
            }
            position += 1;
        }
    }

    fn add(&mut self, constraint: Constraint) {
        let is_trivial = constraint.is_true() || constraint.is_false();
        if self.constraints.len() < self.most && !is_trivial {
            for side in [constraint.clone(), constraint.negated()] {
                if self.seen.insert(side.clone()) {
                    self.constraints.push(side);
                }
            }
        }
    }
}
