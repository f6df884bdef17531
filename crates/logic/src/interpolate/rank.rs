//! Which of two formulas is the simpler one.

use rustc_hash::FxHashSet;

use crate::arith::Integer;
use crate::linear::Relation;
use crate::term::{Node, TermId, TermPool};

/// The cost of a formula, the most important count first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    /// Atoms, counted with repetition.
    atoms: usize,
    /// Atoms that nobody asked for.
    unasked: usize,
    /// Atoms that are no comparisons of linear forms, and quotients in them.
    odd: usize,
    /// Variables, counted per atom.
    variables: usize,
    /// The sum of the absolute values of the coefficients.
    coefficients: Integer,
    /// Disequalities.
    disequalities: usize,
    /// Atoms that occur nowhere else.
    unfamiliar: usize,
    /// Equalities like `x = y + 3`, which are rarely meant: a bound holds longer.
    rigid: usize,
}

/// The cost of a formula, given the atoms that were asked for and those that occur elsewhere.
pub(super) fn cost(
    pool: &TermPool,
    formula: TermId,
    candidates: &[TermId],
    familiar: &FxHashSet<TermId>,
) -> Cost {
    let mut total = Cost::default();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        match pool.node(term) {
            Node::And(parts) | Node::Or(parts) => stack.extend_from_slice(parts),
            Node::Bool(_) => {}
            _ => {
                total.unasked += usize::from(!candidates.contains(&term));
                total.unfamiliar += usize::from(!familiar.contains(&term));
                add_atom(pool, term, &mut total);
            }
        }
    }
    total
}

fn add_atom(pool: &TermPool, atom: TermId, total: &mut Cost) {
    total.atoms += 1;
    let Some(constraint) = pool.constraint(atom) else {
        total.odd += oddness(pool, atom);
        total.variables += pool.free_variables(atom).len();
        return;
    };
    let form = constraint.form();
    total.variables += form.terms().len();
    for (_, coefficient) in form.terms() {
        total.coefficients += &coefficient.abs();
    }
    total.disequalities += usize::from(constraint.relation() == Relation::Ne);
    let is_rigid =
        constraint.relation() == Relation::Eq && form.terms().len() > 1 && !form.constant_term().is_zero();
    total.rigid += usize::from(is_rigid);
}

/// How odd an atom is that is no comparison of linear forms.
fn oddness(pool: &TermPool, atom: TermId) -> usize {
    let is_variable = |term: TermId| matches!(pool.node(term), Node::Var(_));
    let is_truth = match pool.node(atom) {
        Node::Not(inner) => is_variable(*inner),
        _ => is_variable(atom),
    };
    let is_quotient = |part: &&TermId| matches!(pool.node(**part), Node::Div(..));
    if is_truth { 0 } else { 1 + pool.subterms([atom]).iter().filter(is_quotient).count() }
}
