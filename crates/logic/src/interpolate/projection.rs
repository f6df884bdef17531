//! Interpolants by projection: everything that a subtree says about the variables it shares.
//!
//! Constraints are projected from the leaves of the tree to its root. What arrives at a part is
//! implied by its subtree, and if the root becomes contradictory, these are interpolants, made of
//! linear atoms alone; those that are not needed are left out from the root downwards. A projection
//! may say less than it should where the integers are in the way, and then the root may remain
//! satisfiable: this is a second chance for refutations that would give unwieldy interpolants.

use rely_base::{Budget, Id};

use super::extract::{Interpolants, Owned};
use super::limits::Limits;
use super::parts::{PartId, PartTree};
use super::scope::Scope;
use crate::conjunction::{Conjunction, Verdict};
use crate::linear::{Constraint, Domain, VarId};
use crate::project::project;
use crate::term::{TermId, TermPool};

/// Interpolants of a contradictory conjunction, if projections suffice to see the contradiction.
pub(super) fn by_projection(
    pool: &mut TermPool,
    tree: &PartTree,
    inputs: &[Owned],
    limits: &Limits,
    budget: &Budget,
) -> Option<Interpolants> {
    let scope = Scope::of_constraints(tree, inputs);
    let mut own: Vec<Vec<Constraint>> = vec![Vec::new(); tree.len()];
    for Owned { constraint, part } in inputs {
        own[part.index()].push(constraint.clone());
    }
    let mut flow = Flow { tree, own, arrived: vec![Vec::new(); tree.len()], limits, budget };
    let edges: Vec<PartId> = tree.edges().collect();
    for &edge in edges.iter().rev() {
        flow.project_at(edge, &scope)?;
    }
    // From the root downwards, what is needed of what has arrived.
    let mut needed: Vec<Vec<Constraint>> = vec![Vec::new(); tree.len()];
    flow.need(tree.root(), &Constraint::truth(false), &mut needed)?;
    for &edge in &edges {
        for goal in needed[edge.index()].clone() {
            flow.need(edge, &goal, &mut needed)?;
        }
    }
    let formula = |edge: &PartId| -> TermId {
        let atoms: Vec<TermId> =
            needed[edge.index()].iter().map(|constraint| pool.constraint_term(constraint)).collect();
        pool.and(atoms)
    };
    Some(edges.iter().map(formula).collect())
}

struct Flow<'a> {
    tree: &'a PartTree,
    /// The constraints of each part.
    own: Vec<Vec<Constraint>>,
    /// What each part says about the variables that are exposed at it.
    arrived: Vec<Vec<Constraint>>,
    limits: &'a Limits,
    budget: &'a Budget,
}

impl Flow<'_> {
    fn children(&self, part: PartId) -> impl Iterator<Item = PartId> + '_ {
        self.tree.edges().filter(move |&edge| self.tree.parent(edge) == Some(part))
    }

    fn project_at(&mut self, part: PartId, scope: &Scope<'_>) -> Option<()> {
        let mut constraints = self.own[part.index()].clone();
        for child in self.children(part) {
            constraints.extend_from_slice(&self.arrived[child.index()]);
        }
        if constraints.len() > self.limits.projected_constraints {
            return None;
        }
        let mut hidden: Vec<VarId> =
            constraints.iter().flat_map(|constraint| constraint.form().variables()).collect();
        hidden.sort_unstable();
        hidden.dedup();
        hidden.retain(|&variable| !scope.is_exposed(variable, part));
        self.arrived[part.index()] =
            project(Domain::Integers, &constraints, &hidden, self.budget).constraints;
        Some(())
    }

    /// Adds what a part needs from its children to imply a goal.
    fn need(&self, part: PartId, goal: &Constraint, needed: &mut [Vec<Constraint>]) -> Option<()> {
        let mut fixed = self.own[part.index()].clone();
        fixed.push(goal.negated());
        let mut offered: Vec<(PartId, Constraint)> = Vec::new();
        for child in self.children(part) {
            for constraint in &self.arrived[child.index()] {
                if needed[child.index()].contains(constraint) {
                    fixed.push(constraint.clone());
                } else {
                    offered.push((child, constraint.clone()));
                }
            }
        }
        if !self.is_contradictory(&fixed, &offered) {
            return None;
        }
        let mut position = offered.len();
        while position > 0 {
            position -= 1;
            let candidate = offered.remove(position);
            if !self.is_contradictory(&fixed, &offered) {
                offered.insert(position, candidate);
            }
        }
        for (child, constraint) in offered {
            needed[child.index()].push(constraint);
        }
        Some(())
    }

    fn is_contradictory(&self, fixed: &[Constraint], offered: &[(PartId, Constraint)]) -> bool {
        let mut solver = Conjunction::new(Domain::Integers);
        for constraint in fixed.iter().chain(offered.iter().map(|(_, constraint)| constraint)) {
            solver.assert(constraint);
        }
        solver.check(self.budget) == Verdict::Unsat
    }
}
