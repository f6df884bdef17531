//! Convex polyhedra in constraint form, on the simplex and on Fourier-Motzkin elimination.
//!
//! Constraints are kept irredundant. The join is the convex hull of both, computed by projection
//! (Benoy, King, Mesnard: *Computing convex hulls with a linear solver*, 2005), as long as that
//! is small; beyond it, the constraints of either side that hold on the other. Bounds on effort
//! make results larger, never wrong.

use rely_base::{Budget, Id};

use super::NumericDomain;
use crate::arith::Integer;
use crate::conjunction::{Conjunction, Entailment, Verdict};
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};
use crate::project::{assign, keep_strongest, project};

/// A convex polyhedron.
#[derive(Clone, Debug)]
pub struct Polyhedra {
    /// Equalities and inequalities; the one false constraint if there is no point.
    constraints: Vec<Constraint>,
}

/// The convex hull is computed for at most this many variables; its cost grows exponentially.
const MOST_HULL_VARIABLES: usize = 6;

impl Polyhedra {
    /// The points that satisfy all the constraints (disequalities at the end of a range only).
    pub fn from_constraints(constraints: &[Constraint]) -> Self {
        let (distinct, others): (Vec<Constraint>, Vec<Constraint>) =
            constraints.iter().cloned().partition(|constraint| constraint.relation() == Relation::Ne);
        let mut polyhedron = Self::tidied(others);
        distinct.iter().for_each(|constraint| polyhedron.meet(constraint));
        polyhedron
    }

    fn solver(&self) -> Conjunction {
        let mut solver = Conjunction::new(Domain::Integers);
        for constraint in &self.constraints {
            solver.assert(constraint);
        }
        solver
    }

    /// The inequalities, each equality as two of them.
    fn inequalities(&self) -> Vec<Constraint> {
        let mut inequalities = Vec::with_capacity(self.constraints.len());
        for constraint in &self.constraints {
            inequalities.push(Constraint::new(constraint.form().clone(), Relation::Le));
            if constraint.relation() == Relation::Eq {
                inequalities.push(Constraint::new(constraint.form().negated(), Relation::Le));
            }
        }
        inequalities
    }

    /// From inequalities that all hold: pairs of opposite ones become equalities, and what the
    /// others entail is dropped.
    fn tidied(inequalities: Vec<Constraint>) -> Self {
        let mut constraints = inequalities;
        keep_strongest(&mut constraints);
        let mut merged: Vec<Constraint> = Vec::with_capacity(constraints.len());
        for constraint in &constraints {
            let opposite = Constraint::new(constraint.form().negated(), Relation::Le);
            let is_equality = constraint.relation() == Relation::Le && constraints.contains(&opposite);
            let relation = if is_equality { Relation::Eq } else { constraint.relation() };
            let candidate = Constraint::new(constraint.form().clone(), relation);
            if !merged.contains(&candidate) {
                merged.push(candidate);
            }
        }
        // Projecting nothing away removes redundant constraints.
        let projection = project(Domain::Integers, &merged, &[], &Budget::unlimited());
        Self { constraints: projection.constraints }
    }

    /// The constraints of `self` that hold on `other`.
    fn holding_on(&self, other: &Self) -> Vec<Constraint> {
        let mut solver = other.solver();
        let budget = Budget::unlimited();
        let holds = |constraint: &Constraint| solver.entails(constraint, &budget) == Entailment::Yes;
        self.inequalities().into_iter().filter(holds).collect()
    }

    fn variables(&self) -> Vec<VarId> {
        let mut variables: Vec<VarId> = self.constraints.iter().flat_map(|c| c.form().variables()).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The convex hull: points `y + z` with `y` in `s` times one side and `z` in `1 - s` times the
    /// other, for some `s` between 0 and 1, over the rationals.
    fn hull(&self, other: &Self, variables: &[VarId]) -> Vec<Constraint> {
        let first_free = variables.iter().map(|variable| variable.index() + 1).max().unwrap_or(0);
        let share_of = |offset: usize| VarId::from_index(first_free + offset);
        let (left_share, right_share) = (share_of(0), share_of(1));
        let scaled_copy = |variable: VarId, side: usize| {
            let position = variables.binary_search(&variable).unwrap_or(0);
            share_of(2 + 2 * position + side)
        };
        let mut system = Vec::new();
        let mut add =
            |form: LinearForm, relation| system.push(Constraint::over(Domain::Rationals, form, relation));
        for (polyhedron, side, share) in [(self, 0, left_share), (other, 1, right_share)] {
            for constraint in &polyhedron.constraints {
                let constant = constraint.form().constant_term().clone();
                let without = constraint.form().clone().with_constant(Integer::ZERO);
                let homogeneous = without
                    .rename(|variable| scaled_copy(variable, side))
                    .plus(&LinearForm::new([(share, constant)], Integer::ZERO));
                add(homogeneous, constraint.relation());
            }
            add(LinearForm::variable(share).negated(), Relation::Le);
        }
        add(LinearForm::new([(left_share, 1), (right_share, 1)], -1), Relation::Eq);
        for &variable in variables {
            let terms = [(variable, 1), (scaled_copy(variable, 0), -1), (scaled_copy(variable, 1), -1)];
            add(LinearForm::new(terms, 0), Relation::Eq);
        }
        let eliminate: Vec<VarId> = (0..2 + 2 * variables.len()).map(share_of).collect();
        let shadow = project(Domain::Rationals, &system, &eliminate, &Budget::unlimited());
        let integral =
            |constraint: &Constraint| Constraint::new(constraint.form().clone(), constraint.relation());
        shadow.constraints.iter().map(integral).collect()
    }
}

impl NumericDomain for Polyhedra {
    fn top() -> Self {
        Self { constraints: Vec::new() }
    }

    fn bottom() -> Self {
        Self { constraints: vec![Constraint::truth(false)] }
    }

    fn is_bottom(&self) -> bool {
        self.constraints.iter().any(Constraint::is_false)
    }

    fn meet(&mut self, constraint: &Constraint) {
        if self.is_bottom() || self.entails(constraint) {
            return;
        }
        if constraint.relation() == Relation::Ne {
            // Only the end of a range can be cut off.
            for form in [constraint.form().clone(), constraint.form().negated()] {
                if self.entails(&Constraint::new(form.clone(), Relation::Le)) {
                    return self.meet(&Constraint::new(form, Relation::Lt));
                }
            }
            return;
        }
        self.constraints.push(constraint.clone());
        let mut solver = self.solver();
        if solver.check(&Budget::unlimited()) == Verdict::Unsat {
            *self = Self::bottom();
        } else {
            *self = Self::tidied(std::mem::take(&mut self.constraints));
        }
    }

    fn forget(&mut self, variable: VarId) {
        self.constraints =
            project(Domain::Integers, &self.constraints, &[variable], &Budget::unlimited()).constraints;
    }

    fn assign(&mut self, variable: VarId, value: &LinearForm) {
        let used = self.variables().into_iter().chain(value.variables()).chain([variable]);
        let fresh = VarId::from_index(used.map(|used| used.index() + 1).max().unwrap_or(0));
        self.constraints =
            assign(Domain::Integers, &self.constraints, variable, value, fresh, &Budget::unlimited())
                .constraints;
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_bottom() || other.is_bottom() {
            return if self.is_bottom() { other.clone() } else { self.clone() };
        }
        let mut common = self.holding_on(other);
        common.extend(other.holding_on(self));
        let mut variables = [self.variables(), other.variables()].concat();
        variables.sort_unstable();
        variables.dedup();
        if variables.len() <= MOST_HULL_VARIABLES {
            common.extend(self.hull(other, &variables));
        }
        Self::tidied(common)
    }

    fn widen(&self, next: &Self) -> Self {
        if self.is_bottom() || next.is_bottom() {
            return if self.is_bottom() { next.clone() } else { self.clone() };
        }
        Self::tidied(self.holding_on(next))
    }

    /// Takes over the constraints of `next` in directions in which there was none.
    fn narrow(&self, next: &Self) -> Self {
        if self.is_bottom() || next.is_bottom() {
            return Self::bottom();
        }
        let direction = |constraint: &Constraint| constraint.form().clone().with_constant(Integer::ZERO);
        let known: Vec<LinearForm> = self.inequalities().iter().map(direction).collect();
        let new =
            next.inequalities().into_iter().filter(|constraint| !known.contains(&direction(constraint)));
        Self::from_constraints(&self.constraints.iter().cloned().chain(new).collect::<Vec<_>>())
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        self.solver().entails(constraint, &Budget::unlimited()) == Entailment::Yes
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.constraints.clone()
    }
}
