//! Between terms and the linear forms that the solver works on.

use super::pool::{Node, Sort, TermId, TermPool};
use crate::arith::Integer;
use crate::linear::{Constraint, LinearForm, Relation};

impl TermPool {
    /// The integer term as a linear form, if it is linear in variables.
    pub fn linear_form(&self, term: TermId) -> Option<LinearForm> {
        match self.node(term) {
            Node::Int(value) => Some(LinearForm::constant(value.clone())),
            Node::Var(variable) if self.sort(term) == Sort::Int => Some(LinearForm::variable(*variable)),
            Node::Sum(sum) => {
                let terms = sum
                    .terms
                    .iter()
                    .map(|(child, factor)| Some((self.as_var(*child)?, factor.clone())))
                    .collect::<Option<Vec<_>>>()?;
                Some(LinearForm::new(terms, sum.constant.clone()))
            }
            _ => None,
        }
    }

    /// The literal as a constraint, if it is a comparison that is linear in variables.
    pub fn constraint(&self, literal: TermId) -> Option<Constraint> {
        match self.node(literal) {
            Node::Bool(value) => Some(Constraint::truth(*value)),
            Node::LeZero(term) => Some(Constraint::new(self.linear_form(*term)?, Relation::Le)),
            Node::EqZero(term) => Some(Constraint::new(self.linear_form(*term)?, Relation::Eq)),
            Node::Not(inner) => match self.node(*inner) {
                Node::EqZero(term) => Some(Constraint::new(self.linear_form(*term)?, Relation::Ne)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The constraints of a conjunction of linear comparisons; `None` if it is anything else.
    pub fn constraints(&self, conjunction: TermId) -> Option<Vec<Constraint>> {
        match self.node(conjunction) {
            Node::And(parts) => parts.iter().map(|&part| self.constraint(part)).collect(),
            _ => Some(vec![self.constraint(conjunction)?]),
        }
    }

    /// The term of a linear form over variables of this pool.
    pub fn form_term(&mut self, form: &LinearForm) -> TermId {
        let terms: Vec<(TermId, Integer)> =
            form.terms().iter().map(|(variable, factor)| (self.var(*variable), factor.clone())).collect();
        self.sum(terms, form.constant_term().clone())
    }

    /// The literal of a constraint over variables of this pool.
    pub fn constraint_term(&mut self, constraint: &Constraint) -> TermId {
        let term = self.form_term(constraint.form());
        match constraint.relation() {
            Relation::Le => self.le_zero(term),
            Relation::Lt => {
                let shifted = self.sum([(term, Integer::ONE)], Integer::ONE);
                self.le_zero(shifted)
            }
            Relation::Eq => self.eq_zero(term),
            Relation::Ne => {
                let equal = self.eq_zero(term);
                self.not(equal)
            }
        }
    }
}
