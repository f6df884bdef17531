//! Which of two formulas is the simpler one.

use rustc_hash::FxHashSet;

use crate::arith::Integer;
use crate::linear::Relation;
use crate::term::{Node, TermId, TermPool};

/// The cost of a formula, the most important count first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    /// Atoms, counted with repetition.
    atoms: usize,
    /// Atoms that are no comparisons of linear forms.
    odd: usize,
    /// Variables, counted per atom.
    variables: usize,
    /// The sum of the absolute values of the coefficients.
    coefficients: Integer,
    /// Atoms that occur nowhere else.
    unfamiliar: usize,
    /// Disequalities.
    disequalities: usize,
}

/// The cost of a formula, given the atoms that occur elsewhere.
pub(super) fn cost(pool: &TermPool, formula: TermId, familiar: &FxHashSet<TermId>) -> Cost {
    let mut total =
        Cost { atoms: 0, odd: 0, variables: 0, coefficients: Integer::ZERO, unfamiliar: 0, disequalities: 0 };
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        match pool.node(term) {
            Node::And(parts) | Node::Or(parts) => stack.extend_from_slice(parts),
            Node::Bool(_) => {}
            _ => add_atom(pool, term, familiar, &mut total),
        }
    }
    total
}

fn add_atom(pool: &TermPool, atom: TermId, familiar: &FxHashSet<TermId>, total: &mut Cost) {
    total.atoms += 1;
    total.unfamiliar += usize::from(!familiar.contains(&atom));
    match pool.constraint(atom) {
        Some(constraint) => {
            total.variables += constraint.form().terms().len();
            for (_, coefficient) in constraint.form().terms() {
                total.coefficients += &coefficient.abs();
            }
            total.disequalities += usize::from(constraint.relation() == Relation::Ne);
        }
        None => {
            let is_variable = |term: TermId| matches!(pool.node(term), Node::Var(_));
            let is_truth = match pool.node(atom) {
                Node::Not(inner) => is_variable(*inner),
                _ => is_variable(atom),
            };
            total.odd += usize::from(!is_truth);
            total.variables += pool.free_variables(atom).len();
        }
    }
}
